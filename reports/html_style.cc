// SPDX-License-Identifier: Apache-2.0
#include "reports/html_style.h"

namespace poolproof {

std::string_view HtmlStyle() {
  return R"css(
:root{color-scheme:light dark;
 --page:#fbfbf9;--card:#fff;--ink:#1d2327;--soft:#59636b;--line:#dfe2e1;--link:#0b5cad;
 --good:#1c6e43;--bad:#b3261e;--warn:#8a5a00;--none:#68727a;
 --good-bg:#e6f2ea;--bad-bg:#fbe9e7;--warn-bg:#fbf1dc;--none-bg:#eef0f0;
 --window:#0b5cad;--named:#e3edf8;--code:#f3f4f2;
 --l0:#f3f4f2;--l1:#d3e3ee;--l2:#a9cbe0;--l3:#73a9ca;--l4:#3f80ab;--l5:#185a86;
 --b1:#f6cfa8;--b2:#ec9d6b;--b3:#d9633f}
@media (prefers-color-scheme:dark){:root{
 --page:#14181b;--card:#1b2024;--ink:#e4e8ea;--soft:#a3adb4;--line:#343b41;--link:#8abdf2;
 --good:#7fcf9f;--bad:#ff9a90;--warn:#eec06a;--none:#a3adb4;
 --good-bg:#173425;--bad-bg:#43201d;--warn-bg:#3a2e14;--none-bg:#282e33;
 --window:#8abdf2;--named:#20344a;--code:#23292e;
 --l0:#23292e;--l1:#23404f;--l2:#2c5a72;--l3:#3c7a9b;--l4:#5ea0c4;--l5:#a2d2ef;
 --b1:#5c3a22;--b2:#8f4f2c;--b3:#c96a45}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--ink);
 font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main,header,footer{max-width:68rem;margin:0 auto;padding:0 1.25rem}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.15em}
a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--link);
 outline-offset:2px;border-radius:3px}
h1,h2,h3,h4{line-height:1.25;text-wrap:balance}
h2{font-size:1.3rem;margin:2.3rem 0 .6rem}
h3{font-size:1.05rem;margin:1.4rem 0 .45rem}
p{margin:.5rem 0}
code,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;
 font-size:.86em;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.whole{white-space:nowrap}
.small{font-size:.875rem}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.4rem .8rem;z-index:1}
header{padding-top:2.4rem}
.verdict{border-left:.45rem solid var(--tone);padding:.15rem 0 .15rem 1.1rem}
.verdict h1{margin:0;font-size:clamp(1.9rem,6vw,2.8rem);letter-spacing:-.01em;color:var(--tone)}
.verdict p{font-size:1.12rem;margin:.35rem 0 0}
.passed,.conformant{--tone:var(--good);--tone-bg:var(--good-bg)}
.failed,.nonconformant,.error{--tone:var(--bad);--tone-bg:var(--bad-bg)}
.inconclusive,.incomplete,.waived{--tone:var(--warn);--tone-bg:var(--warn-bg)}
.unsupported,.not_applicable,.not_run{--tone:var(--none);--tone-bg:var(--none-bg)}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 1.9rem;margin:1.3rem 0 0;padding:0;list-style:none}
.facts b{font-size:1.3rem;font-variant-numeric:tabular-nums;font-weight:600;display:block;
 line-height:1.2}
.facts span{font-size:.85rem;color:var(--soft)}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;padding:.7rem 0 0;
 margin:1.4rem 0 0;border-top:1px solid var(--line)}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;
 padding:1.1rem 1.3rem;margin:1rem 0;break-inside:avoid-page}
.card>h3{margin-top:0}
.card>summary{color:var(--ink)}
.card>summary h3{display:inline;margin:0}
.pill{display:inline-block;padding:.05rem .55rem;border-radius:99px;font-size:.8rem;
 font-weight:600;white-space:nowrap;color:var(--tone);background:var(--tone-bg)}
.said{margin:.5rem 0;padding:.1rem 0 .1rem .9rem;border-left:3px solid var(--line)}
.said p{margin:.15rem 0}
pre{margin:.5rem 0;padding:.65rem .8rem;background:var(--code);border-radius:7px;
 white-space:pre-wrap;overflow-wrap:anywhere;max-height:16rem;overflow:auto}
pre code{font-size:.83rem;user-select:all}
li code{user-select:all}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--link)}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-size:.92rem}
caption{text-align:left;color:var(--soft);padding:.2rem 0 .5rem}
th{text-align:left;font-weight:600;color:var(--soft);font-size:.82rem}
th,td{padding:.42rem .7rem .42rem 0;vertical-align:top;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tr:target,.card:target{background:var(--warn-bg)}
.clauses td:first-child{white-space:nowrap}
.clauses td:nth-child(5){width:52%}
.matrix{display:flex;flex-wrap:wrap;gap:4px;margin:.5rem 0 1rem;padding:0;list-style:none}
.matrix a{display:block;min-width:3.4rem;padding:.28rem .45rem;border-radius:5px;
 text-align:center;text-decoration:none;font-size:.78rem;line-height:1.25;
 color:var(--tone);background:var(--tone-bg)}
.matrix a:hover{text-decoration:underline}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;padding:0;margin:.4rem 0;
 font-size:.85rem;color:var(--soft)}
.key i{display:inline-block;width:.95rem;height:.95rem;border-radius:3px;margin-right:.4rem;
 vertical-align:-.12rem}
.border{width:auto;border-collapse:separate;border-spacing:3px;margin:.6rem 0}
.border th,.border td{border:0;padding:.25rem .6rem;text-align:center}
.border tbody th,.border thead tr+tr th:first-child{text-align:right;vertical-align:middle}
.border tbody td{min-width:4.2rem;border-radius:5px;border:2px solid transparent;
 color:var(--tone);background:var(--tone-bg);font-size:.82rem;font-variant-numeric:tabular-nums;
 vertical-align:middle}
.border .predicted{border-color:var(--ink)}
.slices{display:flex;flex-wrap:wrap;gap:1rem;margin:.8rem 0 .3rem}
figure{margin:0}
figcaption{font-size:.85rem;color:var(--soft)}
svg{max-width:100%;height:auto}
svg text{font-family:inherit;fill:var(--ink)}
.plane .cell{fill:var(--card);stroke:var(--line)}
.plane .named,i.named{fill:var(--named);background:var(--named)}
.plane .wrong,i.wrong{fill:var(--bad-bg);background:var(--bad-bg);stroke:var(--bad)}
.plane .wrong{stroke-width:1.5}
.plane .gap,i.gap{fill:var(--page);background:var(--page);stroke:var(--line)}
.plane .gap{stroke-dasharray:3 3}
i.gap{border:1px dashed var(--soft)}
.plane .guard,i.guard{fill:var(--none-bg);background:var(--none-bg)}
.plane .window{fill:none;stroke:var(--window);stroke-width:1.4;opacity:.75}
.plane .dilated{stroke-dasharray:4 3}
i.window{border:1.5px solid var(--window)}
.plane text{font-size:12px}
.plane .axis{fill:var(--soft);font-size:11px;text-anchor:middle}
.plane .who{fill:var(--soft);font-size:10.5px}
.plane .who,.plane .value,.plane .got{paint-order:stroke;stroke:var(--card);stroke-width:3px;
 stroke-linejoin:round}
.plane .value{text-anchor:middle;font-size:11.5px}
.plane .got{text-anchor:middle;font-size:11.5px;font-weight:700;fill:var(--bad)}
.maps{display:flex;flex-wrap:wrap;gap:1.2rem 2rem}
.maps figcaption{color:var(--ink);font-weight:600;margin-bottom:.3rem}
.bars .ours,i.ours{fill:var(--window);background:var(--window)}
.bars .peer,i.peer{fill:var(--l2);background:var(--l2)}
.bars .light{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:5 3}
.bars text{font-size:11px}
.bars .head{font-weight:600}
.bars .who{text-anchor:end;fill:var(--soft)}
.bars .sub,.bars .axis{fill:var(--soft)}
.bars .axis{text-anchor:middle}
.plot text{font-size:12px}
.plot .left{text-anchor:end;fill:var(--soft)}
.plot .below{text-anchor:middle;fill:var(--soft)}
.plot .title{font-weight:600;fill:var(--soft)}
.plot .grid{stroke:var(--line)}
.plot polyline{fill:none;stroke-width:2}
.plot circle{stroke-width:2;fill:var(--page)}
.plot .s0{stroke:var(--window)}
.plot .s1{stroke:var(--bad);stroke-dasharray:8 4}
.plot .s2{stroke:var(--good);stroke-dasharray:3 3}
.plot .s3{stroke:var(--warn);stroke-dasharray:9 3 2 3}
.plot circle.s1,.plot circle.s2,.plot circle.s3{stroke-dasharray:none}
.plot .ideal{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 4}
.heat rect{rx:2px}
.heat a:hover rect,.heat a:focus rect{stroke:var(--ink);stroke-width:2}
.heat text{font-size:10px}
.heat .head{font-weight:600}
.heat .sub{fill:var(--soft)}
.l0{fill:var(--l0);background:var(--l0)}.l1{fill:var(--l1);background:var(--l1)}
.l2{fill:var(--l2);background:var(--l2)}.l3{fill:var(--l3);background:var(--l3)}
.l4{fill:var(--l4);background:var(--l4)}.l5{fill:var(--l5);background:var(--l5)}
.b1{fill:var(--b1);background:var(--b1)}.b2{fill:var(--b2);background:var(--b2)}
.b3{fill:var(--b3);background:var(--b3)}.b4{fill:var(--bad);background:var(--bad)}
dl.run{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.3rem;margin:.6rem 0}
dl.run dt{color:var(--soft)}
dl.run dd{margin:0;min-width:0;overflow-wrap:anywhere}
footer{padding-top:2.5rem;padding-bottom:3rem;color:var(--soft);font-size:.85rem}
@media (max-width:44rem){
 main,header,footer{padding-left:1rem;padding-right:1rem}
 .card{padding:.9rem 1rem}
 .scroll table{font-size:.8rem}
 .scroll th{font-size:.75rem}
 .scroll th,.scroll td{padding-right:.4rem}
 .scroll th:last-child,.scroll td:last-child{padding-right:.1rem}
 .clauses thead{position:absolute;left:-99rem}
 .clauses tr{display:grid;grid-template-columns:auto 1fr auto;gap:.1rem .7rem;padding:.6rem 0;
  border-bottom:1px solid var(--line)}
 .clauses td{border:0;padding:0}
 .clauses td.n{text-align:left;color:var(--soft);font-size:.85rem}
 .clauses td:nth-child(3){justify-self:end}
 .clauses td:nth-child(4),.clauses td:nth-child(5){grid-column:1/-1;width:auto}
 .index,.index tbody{display:block}
 .index thead{position:absolute;left:-99rem}
 .index tr{display:grid;grid-template-columns:1.4rem 1fr auto auto;gap:.1rem .6rem;padding:.5rem 0;
  border-bottom:1px solid var(--line)}
 .index td{border:0;padding:0}
 .index td:last-child{grid-column:2/-1;overflow-wrap:anywhere}
 dl.run{grid-template-columns:1fr;gap:0}
 dl.run dd{margin-bottom:.5rem}
}
@media print{
 :root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--link:#000}
 body{font-size:10.5pt}
 nav,.skip{display:none}
 main,header,footer{max-width:none;padding:0}
 *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
 pre{max-height:none}
 h2,h3{break-after:avoid}
 tr{break-inside:avoid}
}
)css";
}

}  // namespace poolproof
