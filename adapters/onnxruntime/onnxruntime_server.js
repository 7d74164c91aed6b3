// SPDX-License-Identifier: Apache-2.0
//
// Runs models of one input: reads the length of a text, the text and the input, writes the same
// with the two outputs.
const fs = require("fs");
const ort = require(process.argv[2]);

function read(size) {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const got = fs.readSync(0, bytes, at, size - at);
    if (got === 0) process.exit(0);
    at += got;
  }
  return bytes;
}

function write(bytes) {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(1, bytes, at);
}

function writeText(answer) {
  const text = Buffer.from(JSON.stringify(answer));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(text.length);
  write(Buffer.concat([size, text]));
}

async function answer() {
  const { model, dims, bytes } = JSON.parse(read(read(4).readUInt32LE()).toString());
  const data = new Float32Array(read(bytes).buffer);
  let session;
  try {
    session = await ort.InferenceSession.create(Buffer.from(model, "hex"), {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
    });
    const { y, i } = await session.run({ x: new ort.Tensor("float32", data, dims) });
    writeText({ dims: y.dims });
    for (const { data } of [y, i]) {
      write(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    }
  } catch (error) {
    writeText({ error: String(error) });
  }
  if (session) await session.release();
}

(async () => {
  for (;;) await answer();
})();
