# SPDX-License-Identifier: Apache-2.0
"""Small faults that can be put into C++ sources, found in their tokens, and a fair sample of them.

The sources are formatted by clang-format, and the spaces that it writes are relied upon: `a < b` compares,
`f<a>(b)` does not."""

import hashlib
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<comment> //(?:\\\r?\n|[^\n])* | /\*.*?\*/ )
  | (?P<string> (?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"
              | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" | (?:u8|[uUL])?'(?:\\.|[^'\\\n])+' )
  | (?P<number> \.?\d(?:[eEpP][+-]|'[0-9a-zA-Z]|[0-9a-zA-Z_.])* )
  | (?P<name> [A-Za-z_]\w* )
  | (?P<space> \s+ )
  | (?P<punct> <=>|->\*|<<=|>>=|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|. )
""", re.VERBOSE | re.DOTALL)
DIRECTIVE = re.compile(r"[ \t]*#(?:\\\r?\n|/\*.*?\*/|[^\n])*", re.DOTALL)

# before -> what it becomes; of two there are two mutants
BETWEEN_OPERANDS = {
    "relational": {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
                   "==": ["!="], "!=": ["=="]},
    "arithmetic": {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"]},
    "bits": {"<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"]},
    "logical": {"&&": ["||"], "||": ["&&"]},
    "assignment": {"+=": ["-="], "-=": ["+="], "*=": ["+="], "/=": ["*="], "|=": ["&="], "&=": ["|="]},
}
STATUS = {"ACLNN_ERR_PARAM_NULLPTR": "ACLNN_ERR_PARAM_INVALID",
          "ACLNN_ERR_PARAM_INVALID": "ACLNN_ERR_PARAM_NULLPTR",
          "ACLNN_ERR_INNER_NULLPTR": "ACLNN_ERR_PARAM_INVALID", "ACLNN_ERR_INNER": "ACLNN_ERR_PARAM_INVALID",
          "ACLNN_ERR_RUNTIME_ERROR": "ACLNN_SUCCESS", "ACL_ERROR_RT_AICORE_EXCEPTION": "ACL_SUCCESS"}
JUMP = {"break": "continue", "continue": "break"}
BOOLEAN = {"true": "false", "false": "true"}
# No statement that starts with one of these can be dropped.
KEPT = frozenset("""alignas auto bool break case catch char class const constexpr continue default delete do double
    else enum explicit extern float for friend goto if inline int long mutable namespace new noexcept operator private
    protected public return short signed static static_assert static_cast struct switch template throw try typedef
    typename union unsigned using virtual void volatile while""".split())
ASSIGNMENTS = frozenset("= += -= *= /= %= &= |= ^= <<= >>=".split())
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, frozenset(")]}")


@dataclass
class Token:
    kind: str
    text: str
    begin: int
    space_before: bool = False
    space_after: bool = False
    match: int = -1          # of a bracket: the other one
    scope: str = ""          # of a `{`: body, type, enum, namespace or values
    template: int = -1       # the `<` of the template arguments that it is one of
    left_alone: bool = False


@dataclass(frozen=True)
class Mutant:
    file: str
    begin: int
    end: int
    operator: str
    before: str
    after: str
    line: int
    column: int
    id: str

    def apply(self, text):
        return text[:self.begin] + self.after + text[self.end:]

    def __str__(self):
        return f"{self.file}:{self.line}:{self.column} {self.operator} {shown(self.before)} -> {shown(self.after)}"


def shown(text):
    text = " ".join(text.split())
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def lex(text):
    """The tokens that mean something; comments, space and directives are dropped."""
    tokens, position, line_start, space = [], 0, True, True
    while position < len(text):
        directive = DIRECTIVE.match(text, position) if line_start else None
        if directive:
            position, space, line_start = directive.end(), True, False
            continue
        match = TOKEN.match(text, position)
        kind, word = match.lastgroup if match.lastgroup != "delimiter" else "string", match.group()
        if kind in ("space", "comment"):
            if tokens:
                tokens[-1].space_after = True
            line_start = "\n" in word or (line_start and kind == "space")
            space = True
        else:
            tokens.append(Token(kind, word, position, space_before=space))
            line_start = space = False
        position = match.end()
    match_brackets(tokens)
    mark_templates(tokens)
    mark_scopes(tokens)
    leave_alone(tokens)
    return tokens


def match_brackets(tokens):
    stack = []
    for i, token in enumerate(tokens):
        if token.kind != "punct":
            continue
        if token.text in OPENING:
            stack.append(i)
        elif token.text in CLOSING and stack:
            tokens[i].match = stack.pop()
            tokens[tokens[i].match].match = i


def template_end(tokens, i):
    """The `>` of the `<` at i, or -1."""
    depth = 0
    while i < len(tokens):
        text = tokens[i].text
        if tokens[i].kind == "punct":
            if text == "<":
                depth += 1
            elif text in (">", ">>"):
                depth -= len(text)
                if depth <= 0:
                    return i
            elif text in OPENING and text != "{":
                i = tokens[i].match
                if i < 0:
                    return -1
            elif text == ";":
                return -1
        i += 1
    return -1


def mark_templates(tokens):
    for i, token in enumerate(tokens):
        if token.text != "<" or token.kind != "punct" or token.space_after:
            continue
        end = template_end(tokens, i)
        for inner in range(i, end + 1):
            if tokens[inner].template < 0:
                tokens[inner].template = i


def statement_head(tokens, i):
    """What is between the last statement or brace and i."""
    head = []
    while i > 0:
        i -= 1
        token = tokens[i]
        if token.kind == "punct" and token.text in ")]":
            head.append(token)
            i = token.match
        elif token.kind == "punct" and token.text in (";", "{", "}", "(", "["):
            break
        if tokens[i].template < 0:
            head.append(tokens[i])
    return [token.text for token in head]


def mark_scopes(tokens):
    for i, token in enumerate(tokens):
        if token.text != "{" or token.kind != "punct":
            continue
        head = statement_head(tokens, i)
        before = tokens[i - 1].text if i else ";"
        if "namespace" in head or (before.startswith('"') and "extern" in head):
            token.scope = "namespace"
        elif "enum" in head and ")" not in head:
            token.scope = "enum"
        elif not token.space_before or before in ASSIGNMENTS or before in ("return", ",", "(", "[", "?", "&&", "||"):
            token.scope = "values"
        elif before == "{":
            token.scope = "values" if tokens[i - 1].scope == "values" else "body"
        elif {"class", "struct", "union"} & set(head) and ")" not in head:
            token.scope = "type"
        else:
            token.scope = "body"


def leave_alone(tokens):
    """Marks what is no fault of the library when it changes, or nothing that compiles."""
    for i, token in enumerate(tokens):
        end = -1
        if token.text in ("static_assert", "alignas", "noexcept", "decltype", "requires") and i + 1 < len(tokens):
            end = tokens[i + 1].match
        elif token.text == "template" and i + 1 < len(tokens):
            end = template_end(tokens, i + 1)
        elif token.text in ("using", "typedef"):
            end = next((k for k in range(i, len(tokens)) if tokens[k].text == ";"), -1)
        elif token.text == "[" and i + 1 < len(tokens) and tokens[i + 1].text == "[":
            end = token.match
        elif token.text == "asm" or token.text == "__asm__":
            end = next((k for k in range(i, len(tokens)) if tokens[k].text == ";"), -1)
        for k in range(i, end + 1):
            tokens[k].left_alone = True


def statement_end(tokens, i):
    """One past the statement that starts at i, or -1."""
    if i >= len(tokens):
        return -1
    text = tokens[i].text
    if text == "{":
        return tokens[i].match + 1
    if text in ("if", "for", "while", "switch"):
        i += 1
        if i < len(tokens) and tokens[i].text == "constexpr":
            i += 1
        if i >= len(tokens) or tokens[i].text != "(":
            return -1
        end = statement_end(tokens, tokens[i].match + 1)
        if text == "if" and 0 < end < len(tokens) and tokens[end].text == "else":
            return statement_end(tokens, end + 1)
        return end
    while i < len(tokens):
        if tokens[i].text in OPENING and tokens[i].kind == "punct":
            i = tokens[i].match
            if i < 0:
                return -1
        elif tokens[i].text == ";":
            return i + 1
        elif tokens[i].text in CLOSING:
            return -1
        i += 1
    return -1


def expression_statement(tokens, i):
    """One past the call or assignment that starts at i as a statement of its own, or -1."""
    start = i
    while i < len(tokens) and tokens[i].text in ("++", "--", "*", "("):
        if tokens[i].text == "(":
            return -1
        i += 1
    if i >= len(tokens) or tokens[i].kind != "name" or tokens[i].text in KEPT:
        return -1
    called = i > start and tokens[start].text in ("++", "--")
    while True:
        i += 1
        if i >= len(tokens):
            return -1
        token = tokens[i]
        if token.text in ("::", ".", "->"):
            i += 1
            if i < len(tokens) and tokens[i].text == "template":
                i += 1
            if i >= len(tokens) or tokens[i].kind != "name":
                return -1
        elif token.text == "<" and token.template == i:
            i = template_end(tokens, i)
        elif token.text in ("(", "["):
            called = called or token.text == "("
            i = token.match
        elif token.text in ("++", "--"):
            called = True
        elif token.text == ";":
            return i + 1 if called else -1
        elif token.text in ASSIGNMENTS:
            return statement_end(tokens, start)
        else:
            return -1


def starts_statement(tokens, i):
    if i == 0:
        return False
    before = tokens[i - 1]
    if before.text in ("else", "do", ";"):
        return True
    if before.text == "{":
        return before.scope == "body"
    if before.text == "}":
        return before.match >= 0 and tokens[before.match].scope == "body"
    if before.text == ")" and before.match > 0:
        head = tokens[before.match - 1].text
        return head in ("if", "for", "while", "switch") or (
            head == "constexpr" and before.match > 1 and tokens[before.match - 2].text == "if")
    return False


def inside_body(tokens):
    """For each token, whether the innermost brace around it is that of a body and no parenthesis is nearer."""
    inside, stack = [], []
    for token in tokens:
        if token.kind == "punct" and token.text in CLOSING and stack:
            stack.pop()
        inside.append(bool(stack) and stack[-1] == "body")
        if token.kind == "punct" and token.text in OPENING:
            stack.append(token.scope if token.text == "{" else "list")
    return inside


def declares(tokens, begin, end):
    """Whether the condition in [begin, end) declares something or has parts."""
    depth = 0
    for i in range(begin, end):
        text = tokens[i].text
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0 and (text == ";" or text == "=" or text == "auto"):
            return True
    return False


def integer(text):
    """(value, suffix, is hexadecimal) of a literal, or None."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F']+|[1-9][0-9']*|0)([uUlLzZ]*)", text)
    if not match:
        return None
    digits = match.group(1).replace("'", "")
    return int(digits, 0), match.group(2), digits[:2] in ("0x", "0X")


def neighbours(text):
    """What a literal of one more, one less or another float would be."""
    known = integer(text)
    if known:
        value, suffix, is_hex = known
        return [(hex(v) if is_hex else str(v)) + suffix for v in (value + 1, value - 1) if v >= 0]
    match = re.fullmatch(r"([0-9']*\.[0-9']*)([fF]?)", text)
    if match:
        return [f"{float(match.group(1).replace(chr(39), '')) + 1.0}{match.group(2)}"]
    return []


def arguments(tokens, opening):
    """[begin, end) of what the commas of the list divide."""
    parts, begin, i = [], opening + 1, opening + 1
    while i < tokens[opening].match:
        if tokens[i].text in OPENING and tokens[i].kind == "punct":
            i = tokens[i].match
        elif tokens[i].text == "," and tokens[i].template < 0:
            parts.append((begin, i))
            begin = i + 1
        i += 1
    parts.append((begin, tokens[opening].match))
    return parts


def is_simple(tokens, part):
    """A name, an element or a member, no call: what is easily taken for its neighbour."""
    begin, end = part
    texts = [token.text for token in tokens[begin:end]]
    return (bool(texts) and tokens[begin].kind == "name" and
            all(t.kind in ("name", "number") or t.text in (".", "->", "::", "[", "]") for t in tokens[begin:end]) and
            not any(a.kind == "name" and b.kind == "name" for a, b in zip(tokens[begin:end], tokens[begin + 1:end])) and
            not set(texts) & KEPT)


def enumerators(texts):
    """Of each enum in the sources, its names in their order."""
    known = {}
    for text in texts:
        tokens = lex(text)
        for i, token in enumerate(tokens):
            if token.text != "enum":
                continue
            k = i + (2 if tokens[i + 1].text in ("class", "struct") else 1)
            brace = next((n for n in range(k, min(k + 8, len(tokens))) if tokens[n].text == "{"), -1)
            if brace < 0 or tokens[k].kind != "name":
                continue
            names = [tokens[begin].text for begin, end in arguments(tokens, brace) if begin < end]
            if len(names) > 1:
                known[tokens[k].text] = names
    return known


def edits(text, enums):
    """(begin, end, operator, after) of every mutant, in the order of the text."""
    tokens = lex(text)
    inside = inside_body(tokens)
    for i, token in enumerate(tokens):
        if token.left_alone:
            continue
        begin, end = token.begin, token.begin + len(token.text)
        near = [tokens[k] for k in (i - 1, i + 1) if 0 <= k < len(tokens)]
        before, after = tokens[i - 1].text if i else "", tokens[i + 1].text if i + 1 < len(tokens) else ""
        if token.kind == "punct":
            if (token.space_before and token.space_after and token.template < 0 and before != "operator"
                    and not any(t.kind == "string" for t in near)):
                for operator, table in BETWEEN_OPERANDS.items():
                    for changed in table.get(token.text, ()):
                        yield begin, end, operator, changed
            if token.text in ("++", "--") and (inside[i] or before in (";", ",") or after == ")"):
                yield begin, end, "arithmetic", "--" if token.text == "++" else "++"
            if token.text == "!" and not token.space_after:
                yield begin, end, "negation", ""
            called = token.text == "(" and not token.space_before and i and tokens[i - 1].kind == "name"
            if called or (token.text == "{" and token.scope == "values"):
                parts = arguments(tokens, i)
                for one, other in zip(parts, parts[1:]):
                    # Of two enumerators the list is mostly a set.
                    if (is_simple(tokens, one) and is_simple(tokens, other)
                            and not tokens[one[1] - 2].text == tokens[other[1] - 2].text == "::"):
                        yield swapped(text, tokens, one, other)
        elif token.kind == "number" and token.template < 0:
            for changed in neighbours(token.text):
                yield begin, end, "literal", changed
        elif token.kind == "name":
            if token.text in BOOLEAN and (token.template < 0 or called_template(tokens, token.template)):
                yield begin, end, "boolean", BOOLEAN[token.text]
            elif token.text in JUMP and after == ";":
                yield begin, end, "jump", JUMP[token.text]
            elif token.text in STATUS:
                yield begin, end, "status", STATUS[token.text]
            elif (before == "::" and token.template < 0 and i > 1 and token.text in enums.get(tokens[i - 2].text, ())
                  and (i < 3 or tokens[i - 3].text != "case")):
                names = enums[tokens[i - 2].text]
                yield begin, end, "enumerator", names[(names.index(token.text) + 1) % len(names)]
            if token.text == "if" and after == "(":
                condition = tokens[i + 1]
                if not declares(tokens, i + 2, condition.match):
                    first = condition.begin + 1
                    last = tokens[condition.match].begin
                    yield first, last, "condition", f"!({text[first:last]})"
                last = statement_end(tokens, i)
                body = statement_end(tokens, condition.match + 1)
                if inside[i] and last > 0 and last == body and starts_statement(tokens, i):
                    yield begin, end_of(tokens[last - 1]), "check", ";"
        if inside[i] and starts_statement(tokens, i):
            last = expression_statement(tokens, i)
            if last > 0:
                yield begin, end_of(tokens[last - 1]), "statement", ";"


def end_of(token):
    return token.begin + len(token.text)


def called_template(tokens, opening):
    """Whether the template arguments are those of a function that is called here."""
    end = template_end(tokens, opening)
    return 0 <= end < len(tokens) - 1 and tokens[end + 1].text == "("


def swapped(text, tokens, one, other):
    a = text[tokens[one[0]].begin:end_of(tokens[one[1] - 1])]
    b = text[tokens[other[0]].begin:end_of(tokens[other[1] - 1])]
    begin, end = tokens[one[0]].begin, end_of(tokens[other[1] - 1])
    between = text[begin + len(a):end - len(b)]
    return begin, end, "swap", b + between + a


def mutants_of(file, text, enums):
    """Every mutant of a source. Its id stays what it is while other lines change."""
    found, seen = [], {}
    for begin, end, operator, after in edits(text, enums):
        before = text[begin:end]
        if before == after:
            continue
        line_begin = text.rfind("\n", 0, begin) + 1
        line_end = text.find("\n", begin)
        context = "\0".join([file, text[line_begin:line_end if line_end >= 0 else len(text)].strip(),
                             operator, " ".join(before.split()), " ".join(after.split())])
        ordinal = seen[context] = seen.get(context, -1) + 1
        name = hashlib.sha256(f"{context}\0{ordinal}".encode()).hexdigest()[:12]
        found.append(Mutant(file, begin, end, operator, before, after, text.count("\n", 0, begin) + 1,
                            begin - line_begin + 1, name))
    return found


def drawn(mutants, seed):
    """All of them, in an order in which every beginning is a fair sample of files and operators."""
    strata = {}
    for mutant in mutants:
        strata.setdefault((mutant.file, mutant.operator), []).append(mutant)

    def chance(*words):
        return hashlib.sha256("\0".join((str(seed),) + words).encode()).digest()

    order = []
    for stratum, members in strata.items():
        members = sorted(members, key=lambda m: chance(m.id))
        start = int.from_bytes(chance(*stratum)[:8], "big") / 2**64
        order += [((rank + start) / len(members), chance(m.id), m) for rank, m in enumerate(members)]
    return [mutant for _, _, mutant in sorted(order, key=lambda entry: entry[:2])]
