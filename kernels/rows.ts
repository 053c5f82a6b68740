// Writes rows of a response from the columns of a release. Columns and output lie in this module's memory, which
// all threads share, so nothing is copied beforehand. Values are copied 16 bytes at a time, possibly past their
// end; the next value overwrites the excess. The caller leaves SLACK bytes free after everything that is read or
// written.
//
// The language is AssemblyScript. tools/kernels/compile.ts compiles it to WebAssembly.
// engine/commons/render/row-nodes.ts writes the nodes and has the same constants.

/** Free bytes after the output: for a value of fixed size, closing brackets, and the excess of a 16-byte store. */
const SLACK: usize = 256
/** Number of rows per block. It is small enough for the data that they read to stay in the processor's caches. */
const BLOCK: u32 = 128
const NODE_BYTES: usize = 64

// Kinds of nodes: first leaves, by the form of their values (3 is 32 hex digits), then nodes with members (7 is
// a list).
const TEXT: u32 = 0
const RAISED: u32 = 1
const UUID: u32 = 2
const INTEGER: u32 = 4
const OBJECT: u32 = 5
const LINKED: u32 = 6
const REVERSE: u32 = 8

/** WIDTH if the code of element e is e + 1. Otherwise WIDTH is bytes per code, or 0 if no element has one. */
const OWN_NUMBER: u32 = 3

// Which elements without a value are null: none, some, or all (2).
const NEVER_NULL: u32 = 0
const SOME_NULL: u32 = 1

// How numbers are written: integers, as in JSON, or with a decimal point also behind integers.
const INTEGERS: u32 = 0
const WITH_POINT: u32 = 2

// Fields of a node, as offsets. Those after PREFIX_LENGTH mean another thing in a leaf than in others.
const KIND: usize = 0
const PREFIX: usize = 4
const PREFIX_LENGTH: usize = 8
const BYTES: usize = 12
const ENDS: usize = 16
const UPPER: usize = 20
const CODES: usize = 24
const WIDTH: usize = 28
/** Whether a text is in quotation marks, or how fractions are written. */
const QUOTED: usize = 32
const IS_LIST: usize = 36
const OFFSETS: usize = 40
const MISSING: usize = 44
const NULLS: usize = 48
const IS_LARGE: usize = 52
/** Entries of a leaf for `gather`: one, or for a list as many as CAPACITY from VALUES on. */
const ENTRY: usize = 56
const VALUES: usize = 12
const NUMBERS: usize = 16
const CAPACITY: usize = 32
/** KINDS bit of the values (engine/commons/render/columns.ts). */
const KIND_BIT: usize = 20
const MEMBERS: usize = 12
const MEMBERS_END: usize = 16
const TARGETS: usize = 20
const ELEMENTS: usize = 24
const PARENTS: usize = 28

// An entry: where the code of the first row of a block goes, or 0, and then the kinds of values that were seen.
const SEEN: usize = 4
const ENTRY_BYTES: usize = 8
const SEEN_INTEGER: u32 = 4
const SEEN_FRACTION: u32 = 8
const SEEN_NULL: u32 = 16

const LF: u8 = 0x0a
const QUOTE: u8 = 0x22
const COMMA: u8 = 0x2c
const DASH: u8 = 0x2d
const POINT: u8 = 0x2e
const ZERO: u8 = 0x30
const OPEN_BRACKET: u8 = 0x5b
const CLOSE_BRACKET: u8 = 0x5d
const OPEN_BRACE: u8 = 0x7b
const CLOSE_BRACE: u8 = 0x7d
/** The text `null`, as a little-endian number. */
const NULL: u32 = 0x6c6c756e

/** The group or list that `gather` had more items of than places, or 0. */
export let lacking: usize = 0
/** Where writing must have stopped, apart from SLACK. */
let limit: usize = 0
/** Whether the output was too long. Everything written after that is discarded. */
let isFull: bool = false
/** Sum of what `touch` has read, so that its reads are not optimised away. */
export let touched: u32 = 0

/**
 * Writes lines of a table.
 * @param leaves leaf nodes, one after the other, one per column
 * @param codes the code of each row's value, BLOCK codes per column; for columns with `CODES` they are read
 *   here
 * @returns the end of the output, or 0 if the lines do not fit
 */
export function lines(
  leaves: usize,
  columns: u32,
  codes: usize,
  rows: usize,
  count: u32,
  to: usize,
  end: usize,
  separator: u32,
): usize {
  // Each cell is followed by a separator, including the last cell that fits.
  const behindCells = SLACK + columns
  if (to + behindCells > end) return 0
  limit = end - behindCells
  isFull = false
  const stride: usize = BLOCK << 2
  for (let column: u32 = 0; column < columns; column++) {
    const leaf = leaves + <usize>column * NODE_BYTES
    const own = codes + <usize>column * stride
    if (load<usize>(leaf, CODES) !== 0 || load<u32>(leaf, WIDTH) === OWN_NUMBER) {
      for (let i: u32 = 0; i < count; i++) {
        store<u32>(own + (i << 2), codeOf(leaf, load<u32>(rows + (i << 2))))
      }
    }
    if (load<u32>(leaf, IS_LARGE)) {
      for (let i: u32 = 0; i < count; i++) touch(leaf, load<u32>(own + (i << 2)))
    }
  }
  const behind = leaves + <usize>columns * NODE_BYTES
  for (let i: u32 = 0; i < count; i++) {
    let code = codes + (i << 2)
    for (let leaf = leaves; leaf < behind; leaf += NODE_BYTES, code += stride) {
      const own = load<u32>(code)
      if (own !== 0) to = value(leaf, own, to)
      store<u8>(to++, <u8>separator)
    }
    if (to > limit) isFull = true
    if (isFull) return 0
    store<u8>(to - 1, LF)
  }
  return to
}

/**
 * Finds the values of rows, also in nested lists. Members are in places here: each item of a list has members of its
 * own, one after the other, and behind the last one are members for items that have no place. Positions count only
 * items that have a value or null.
 * @param stride bytes from the code of a row to that of the next one; 0 if entries lead nowhere, so that only kinds of
 *   values are noted, and the first item without a place sets `lacking` and ends the search
 * @param codes where entries lead to, of which `bytes` are set to 0 before
 * @param space memory for numbers of nested elements, up to `spaceEnd`
 */
export function gather(
  first: usize,
  end: usize,
  rows: usize,
  count: u32,
  stride: usize,
  codes: usize,
  bytes: usize,
  space: usize,
  spaceEnd: usize,
): void {
  lacking = 0
  if (bytes !== 0) memory.fill(codes, 0, bytes)
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const next = min(start + BLOCK, count)
    touchElements(first, end, rows + (start << 2), next - start, space, spaceEnd)
    for (let i = start; i < next; i++) {
      gatherMembers(first, end, load<u32>(rows + (i << 2)), <usize>i * stride)
      if (stride === 0 && lacking !== 0) return
    }
  }
}

/** Finds the values of an element. Returns whether it has a value or null. */
function gatherMembers(first: usize, end: usize, element: u32, place: usize): bool {
  let isThere = false
  for (let member = first; member < end; member += NODE_BYTES) {
    const kind = load<u32>(member, KIND)
    if (kind <= INTEGER) {
      if (gatherLeaf(member, element, place)) isThere = true
      continue
    }
    const inside = load<usize>(member, MEMBERS)
    const behind = load<usize>(member, MEMBERS_END)
    if (kind === OBJECT) {
      if (gatherMembers(inside, behind, element, place)) isThere = true
    } else if (kind === LINKED) {
      const target = load<u32>(load<usize>(member, TARGETS) + (element << 2))
      if (target !== 0 && gatherMembers(inside, behind, target - 1, place)) isThere = true
    } else if (gatherItems(member, kind, element, place)) isThere = true
  }
  return isThere
}

function gatherItems(node: usize, kind: u32, element: u32, place: usize): bool {
  const first = load<usize>(node, MEMBERS)
  const size = load<usize>(node, MEMBERS_END) - first
  const without = first + size * load<usize>(node, CAPACITY)
  const offsets = load<usize>(node, TARGETS) + (element << 2)
  const end = load<u32>(offsets, 4)
  const elements = load<usize>(node, ELEMENTS)
  const parents = load<usize>(node, PARENTS)
  let last: u32 = u32.MAX_VALUE
  let isThere = false
  let inside = first
  for (let at = load<u32>(offsets); at < end; at++) {
    let item = at
    if (kind === REVERSE) {
      item = load<u32>(elements + (at << 2))
      if (parents !== 0) item = load<u32>(parents + (item << 2))
      if (item === last) continue
      last = item
    }
    if (!gatherMembers(inside, inside + size, item, place)) continue
    isThere = true
    if (inside === without) lacking = node
    else inside += size
  }
  return isThere
}

function gatherLeaf(node: usize, element: u32, place: usize): bool {
  if (!load<u32>(node, IS_LIST)) {
    const code = codeOf(node, element)
    if (code === 0) return gatherNull(node, element)
    found(node, node + ENTRY, code, place)
    return true
  }
  const offsets = load<usize>(node, OFFSETS)
  let at = element
  let end = element + 1
  if (offsets !== 0) {
    at = load<u32>(offsets + (element << 2))
    end = load<u32>(offsets + (element << 2), 4)
  }
  let entry = load<usize>(node, VALUES)
  const without = entry + ENTRY_BYTES * load<usize>(node, CAPACITY)
  let isThere = false
  for (; at < end; at++) {
    const code = codeOf(node, at)
    if (code === 0) break
    isThere = true
    if (entry === without) lacking = node
    else {
      found(node, entry, code, place)
      entry += ENTRY_BYTES
    }
  }
  return isThere || gatherNull(node, element)
}

function found(node: usize, entry: usize, code: u32, place: usize): void {
  const codes = load<usize>(entry)
  if (codes !== 0) {
    store<u32>(codes + place, code)
    return
  }
  let kind = load<u32>(node, KIND_BIT)
  const numbers = load<usize>(node, NUMBERS)
  if (numbers !== 0) {
    const number = load<f64>(numbers + ((code - 1) << 3))
    const isInteger = trunc(number) === number && abs(number) <= f64.MAX_SAFE_INTEGER
    kind = isInteger ? SEEN_INTEGER : SEEN_FRACTION
  }
  store<u32>(entry, load<u32>(entry, SEEN) | kind, SEEN)
}

/** Returns whether an element has no value but null. */
function gatherNull(node: usize, element: u32): bool {
  if (!isNull(node, element)) return false
  store<u32>(node, load<u32>(node, ENTRY + SEEN) | SEEN_NULL, ENTRY + SEEN)
  return true
}

/** Number of rows with a value in the last call of `texts` or `numbers`. */
export let present: u32 = 0

/** Returns the code of a row's value: from `codes`, or from the leaf's column if `codes` is 0. */
function codeAt(leaf: usize, codes: usize, rows: usize, i: usize): u32 {
  return codes !== 0 ? load<u32>(codes + (i << 2)) : codeOf(leaf, load<u32>(rows + (i << 2)))
}

function mark(bits: usize, i: usize): void {
  const at = bits + (i >> 3)
  store<u8>(at, load<u8>(at) | (1 << (<u8>i & 7)))
  present++
}

/**
 * Writes the texts of rows as an Arrow column: all texts without separators, their offsets, and a validity bitmap.
 * @param codes address of the code of each row's value; 0 to look the codes up in the leaf's column
 * @param to address of the first text
 * @param end address after the memory for the texts
 * @param offsets address at which the start of each text, and then the end of the last, are written
 * @param bits address of the validity bitmap: the bit of each row with a value is set
 * @returns the address after the last text, or 0 if the texts do not fit
 */
export function texts(
  leaf: usize,
  codes: usize,
  rows: usize,
  count: usize,
  to: usize,
  end: usize,
  offsets: usize,
  bits: usize,
): usize {
  present = 0
  if (to + SLACK > end) return 0
  limit = end - SLACK
  isFull = false
  const start = to
  const isLarge = load<u32>(leaf, IS_LARGE) !== 0
  for (let block: usize = 0; block < count; block += BLOCK) {
    const next = min(block + BLOCK, count)
    if (isLarge) for (let i = block; i < next; i++) touch(leaf, codeAt(leaf, codes, rows, i))
    for (let i = block; i < next; i++) {
      store<u32>(offsets + (i << 2), to - start)
      const code = codeAt(leaf, codes, rows, i)
      if (code === 0) continue
      to = value(leaf, code, to)
      mark(bits, i)
    }
    if (isFull) return 0
  }
  store<u32>(offsets + (count << 2), to - start)
  return to
}

/**
 * Writes the numbers of rows as an Arrow column: 8 bytes each, 0 for rows without a value. The other parameters are
 * as in `texts`.
 * @param isInteger whether they are 64-bit integers, instead of floating-point numbers
 */
export function numbers(
  leaf: usize,
  codes: usize,
  rows: usize,
  count: usize,
  to: usize,
  isInteger: bool,
  bits: usize,
): void {
  present = 0
  const values = load<usize>(leaf, BYTES)
  for (let i: usize = 0; i < count; i++) {
    const code = codeAt(leaf, codes, rows, i)
    const number = code === 0 ? 0 : load<f64>(values + ((code - 1) << 3))
    if (code !== 0) mark(bits, i)
    if (isInteger) store<i64>(to + (i << 3), <i64>number)
    else store<f64>(to + (i << 3), number)
  }
}

/**
 * Writes rows as JSON objects.
 * @param root an object node of the members of a row
 * @param behind what follows each object
 * @param space memory for numbers of nested elements, up to `spaceEnd`
 * @returns the end, or 0 if they do not fit
 */
export function objects(
  root: usize,
  rows: usize,
  count: u32,
  to: usize,
  end: usize,
  behind: u32,
  space: usize,
  spaceEnd: usize,
): usize {
  if (to + SLACK > end) return 0
  limit = end - SLACK
  isFull = false
  const first = load<usize>(root, MEMBERS)
  const last = load<usize>(root, MEMBERS_END)
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const next = min(start + BLOCK, count)
    touchElements(first, last, rows + (start << 2), next - start, space, spaceEnd)
    for (let i = start; i < next; i++) {
      const at = to
      to = object(root, load<u32>(rows + (i << 2)), to)
      if (to === at) {
        store<u8>(to++, OPEN_BRACE)
        store<u8>(to++, CLOSE_BRACE)
      }
      store<u8>(to++, <u8>behind)
      if (to > limit) isFull = true
      if (isFull) return 0
    }
  }
  return to
}

/**
 * Reads what elements have into the processor's caches, also in nested lists. Each is a miss, and many at once overlap.
 * @param elements numbers of elements
 * @param space where numbers of nested elements are put, up to `end`
 */
function touchElements(
  first: usize,
  behind: usize,
  elements: usize,
  count: u32,
  space: usize,
  end: usize,
): void {
  const last = elements + ((<usize>count) << 2)
  for (let member = first; member < behind; member += NODE_BYTES) {
    const kind = load<u32>(member, KIND)
    if (kind <= INTEGER) {
      touchLeaf(member, elements, last)
      continue
    }
    let nested = elements
    let nestedCount = count
    if (kind !== OBJECT) {
      nested = space
      nestedCount = nestedIn(member, kind, elements, last, space, end)
    }
    const inside = load<usize>(member, MEMBERS)
    const next = kind === OBJECT ? space : space + ((<usize>nestedCount) << 2)
    touchElements(inside, load<usize>(member, MEMBERS_END), nested, nestedCount, next, end)
  }
}

function touchLeaf(leaf: usize, elements: usize, last: usize): void {
  const offsets = load<u32>(leaf, IS_LIST) ? load<usize>(leaf, OFFSETS) : 0
  if (offsets !== 0) {
    for (let at = elements; at < last; at += 4) touched += load<u32>(offsets + (load<u32>(at) << 2))
    return
  }
  for (let at = elements; at < last; at += 4) touched += codeOf(leaf, load<u32>(at))
  if (!load<u32>(leaf, IS_LARGE)) return
  for (let at = elements; at < last; at += 4) touch(leaf, codeOf(leaf, load<u32>(at)))
}

/** Puts the numbers of nested elements into `space`, as far as they fit. Returns how many. */
function nestedIn(
  node: usize,
  kind: u32,
  elements: usize,
  last: usize,
  space: usize,
  end: usize,
): u32 {
  const targets = load<usize>(node, TARGETS)
  for (let at = elements; at < last; at += 4) touched += load<u32>(targets + (load<u32>(at) << 2))
  const links = load<usize>(node, ELEMENTS)
  const parents = load<usize>(node, PARENTS)
  let to = space
  for (let at = elements; at < last; at += 4) {
    const offsets = targets + (load<u32>(at) << 2)
    const start = load<u32>(offsets)
    if (kind === LINKED) {
      if (start !== 0 && to < end) {
        store<u32>(to, start - 1)
        to += 4
      }
      continue
    }
    const behind = load<u32>(offsets, 4)
    for (let item = start; item < behind && to < end; item++) {
      let element = item
      if (kind === REVERSE) {
        element = load<u32>(links + (item << 2))
        if (parents !== 0) element = load<u32>(parents + (element << 2))
      }
      store<u32>(to, element)
      to += 4
    }
  }
  return <u32>((to - space) >> 2)
}

function touch(leaf: usize, code: u32): void {
  if (code === 0) return
  const kind = load<u32>(leaf, KIND)
  const bytes = load<usize>(leaf, BYTES)
  const before = code - 1
  if (kind <= RAISED) {
    const start = load<u32>(load<usize>(leaf, ENDS) + (before << 2))
    touched += load<u8>(bytes + start)
    if (kind === RAISED) touched += load<u8>(load<usize>(leaf, UPPER) + (start >> 3))
  } else {
    touched += load<u8>(bytes + (kind === INTEGER ? before << 3 : before << 4))
  }
}

/** Returns the code of an element's value. For a list, the index is that of one of its values. */
function codeOf(leaf: usize, element: u32): u32 {
  const codes = load<usize>(leaf, CODES)
  switch (load<u32>(leaf, WIDTH)) {
    case 1:
      return load<u8>(codes + element)
    case 2:
      return load<u16>(codes + (element << 1))
    case OWN_NUMBER:
      return element + 1
    case 4:
      return load<u32>(codes + (element << 2))
    default:
      return 0
  }
}

/** Writes the members of an element as an object. Writes nothing if the element has no members. */
function object(node: usize, element: u32, start: usize): usize {
  const to = members(node, element, start)
  if (to === start) return to
  // Each member starts with a comma, so the opening brace overwrites the first comma.
  store<u8>(start, OPEN_BRACE)
  store<u8>(to, CLOSE_BRACE)
  return to + 1
}

/** Writes the members that an element has, each with a leading comma. */
function members(node: usize, element: u32, to: usize): usize {
  const behind = load<usize>(node, MEMBERS_END)
  for (let member = load<usize>(node, MEMBERS); member < behind; member += NODE_BYTES) {
    if (to > limit) isFull = true
    if (isFull) return to
    const kind = load<u32>(member, KIND)
    if (kind <= INTEGER) to = leaf(member, element, to)
    else if (kind === LINKED) {
      const target = load<u32>(load<usize>(member, TARGETS) + (element << 2))
      if (target !== 0) to = members(member, target - 1, to)
    } else to = group(member, kind, element, to)
  }
  return to
}

/** Writes a member that is an object or an array of objects. Writes nothing if it is empty. */
function group(node: usize, kind: u32, element: u32, start: usize): usize {
  const first = prefix(node, start)
  let to = first
  if (kind === OBJECT) {
    to = object(node, element, first)
    return to === first ? start : to
  }
  const offsets = load<usize>(node, TARGETS) + (element << 2)
  const end = load<u32>(offsets, 4)
  const elements = load<usize>(node, ELEMENTS)
  const parents = load<usize>(node, PARENTS)
  let last: u32 = u32.MAX_VALUE
  for (let at = load<u32>(offsets); at < end; at++) {
    let item = at
    if (kind === REVERSE) {
      item = load<u32>(elements + (at << 2))
      if (parents !== 0) item = load<u32>(parents + (item << 2))
      // Elements are ascending, so several links from one record are adjacent.
      if (item === last) continue
      last = item
    }
    if (to > limit) isFull = true
    if (isFull) return to
    store<u8>(to, COMMA)
    const inside = to + 1
    const next = object(node, item, inside)
    if (next !== inside) to = next
  }
  return closed(start, first, to)
}

/** Closes the array that was written after the name of a member. Removes the name if the array is empty. */
function closed(start: usize, first: usize, to: usize): usize {
  if (to === first) return start
  store<u8>(first, OPEN_BRACKET)
  store<u8>(to, CLOSE_BRACKET)
  return to + 1
}

/** Writes the name and the value, or values, of an element. */
function leaf(node: usize, element: u32, start: usize): usize {
  if (!load<u32>(node, IS_LIST)) {
    const code = codeOf(node, element)
    if (code === 0) return nothing(node, element, start)
    return value(node, code, prefix(node, start))
  }
  const offsets = load<usize>(node, OFFSETS)
  let at = element
  let end = element + 1
  if (offsets !== 0) {
    at = load<u32>(offsets + (element << 2))
    end = load<u32>(offsets + (element << 2), 4)
  }
  const first = prefix(node, start)
  let to = first
  for (; at < end; at++) {
    const code = codeOf(node, at)
    if (code === 0) continue
    if (isFull) return to
    store<u8>(to, COMMA)
    to = value(node, code, to + 1)
  }
  return to === first ? nothing(node, element, start) : closed(start, first, to)
}

/** Writes the name and null for an element whose only value is null. */
function nothing(node: usize, element: u32, start: usize): usize {
  if (!isNull(node, element)) return start
  const to = prefix(node, start)
  store<u32>(to, NULL)
  return to + 4
}

/** Returns whether an element without a value is null. */
function isNull(node: usize, element: u32): bool {
  const missing = load<u32>(node, MISSING)
  if (missing !== SOME_NULL) return missing !== NEVER_NULL
  const word = load<u32>(load<usize>(node, NULLS) + ((element >> 5) << 2))
  return (word & (1 << (element & 31))) !== 0
}

/** Writes the name of a member, with a leading comma and a colon. */
function prefix(node: usize, to: usize): usize {
  const length = load<u32>(node, PREFIX_LENGTH)
  if (to > limit || length > limit - to) {
    isFull = true
    return to
  }
  return copied(to, load<usize>(node, PREFIX), length)
}

/** Writes the value of a code. */
function value(leaf: usize, code: u32, to: usize): usize {
  if (to > limit) {
    isFull = true
    return to
  }
  const kind = load<u32>(leaf, KIND)
  const bytes = load<usize>(leaf, BYTES)
  const quoted = load<u32>(leaf, QUOTED)
  const before = code - 1
  if (kind === INTEGER) {
    const number = load<f64>(bytes + (before << 3))
    return quoted === INTEGERS ? integer(to, number) : fraction(to, number, quoted === WITH_POINT)
  }
  if (quoted) store<u8>(to++, QUOTE)
  if (kind <= RAISED) {
    const ends = load<usize>(leaf, ENDS) + (before << 2)
    const start = load<u32>(ends)
    const length = load<u32>(ends, 4) - start
    if (length > limit - to) {
      isFull = true
      return to
    }
    to =
      kind === TEXT
        ? copied(to, bytes + start, length)
        : raised(to, bytes + start, length, load<usize>(leaf, UPPER), start)
  } else if (kind === UUID) to = uuid(to, bytes + (before << 4))
  else to = hex(to, bytes + (before << 4))
  if (quoted) store<u8>(to++, QUOTE)
  return to
}

/** Copies bytes. Most values are short, and a loop would often be mispredicted because their lengths differ. */
function copied(to: usize, from: usize, length: usize): usize {
  v128.store(to, v128.load(from))
  v128.store(to, v128.load(from, 16), 16)
  for (let at: usize = 32; at < length; at += 16) v128.store(to + at, v128.load(from + at))
  return to + length
}

/** Copies letters and capitalises those whose bits are set in the bitmap `upper`, starting at `bit`. */
function raised(to: usize, from: usize, length: usize, upper: usize, bit: u32): usize {
  raise(to, from, upper, bit)
  raise(to + 16, from + 16, upper, bit + 16)
  for (let at: usize = 32; at < length; at += 16) raise(to + at, from + at, upper, bit + <u32>at)
  return to + length
}

/** Copies 16 bytes and capitalises the letters whose bits are set. */
function raise(to: usize, from: usize, upper: usize, bit: u32): void {
  const bits = load<u32>(upper + (bit >> 3)) >> (bit & 7)
  const each = v128.and(
    i8x16.swizzle(i32x4.splat(bits), i8x16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)),
    i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128),
  )
  const isLower = i8x16.eq(each, i8x16.splat(0))
  const difference = v128.andnot(i8x16.splat(0x20), isLower)
  v128.store(to, i8x16.sub(v128.load(from), difference))
}

const DIGITS = i8x16(48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102)

/** Returns the hex digits of the first or last eight of 16 bytes. */
function digits(packed: v128, isFirst: bool): v128 {
  const high = i8x16.swizzle(DIGITS, i8x16.shr_u(packed, 4))
  const low = i8x16.swizzle(DIGITS, v128.and(packed, i8x16.splat(15)))
  return isFirst
    ? v128.shuffle<i8>(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
    : v128.shuffle<i8>(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
}

function hex(to: usize, from: usize): usize {
  const packed = v128.load(from)
  v128.store(to, digits(packed, true))
  v128.store(to, digits(packed, false), 16)
  return to + 32
}

function uuid(to: usize, from: usize): usize {
  const packed = v128.load(from)
  const first = digits(packed, true)
  const last = digits(packed, false)
  v128.store_lane<i64>(to, first, 0)
  store<u8>(to, DASH, 8)
  v128.store_lane<i32>(to, first, 2, 9)
  store<u8>(to, DASH, 13)
  v128.store_lane<i32>(to, first, 3, 14)
  store<u8>(to, DASH, 18)
  v128.store_lane<i32>(to, last, 0, 19)
  store<u8>(to, DASH, 23)
  v128.store_lane<i32>(to, last, 1, 24)
  v128.store_lane<i64>(to, last, 1, 28)
  return to + 36
}

/** Writes a safe integer as decimal digits. */
function integer(to: usize, number: f64): usize {
  if (number < 0) store<u8>(to++, DASH)
  const size = <u64>abs(number)
  if (size < 1_000_000_000) return decimal(to, <u32>size)
  const above = size / 1_000_000_000
  to = integer(to, <f64>above)
  const below = <u32>(size - above * 1_000_000_000)
  let rest = below
  for (let i: usize = 9; i > 0; i--) {
    store<u8>(to + i - 1, ZERO + <u8>(rest % 10))
    rest /= 10
  }
  return to + 9
}

/** Maximum number of digits with which each decimal has a double of its own, and so is the shortest one of that. */
const MAX_DIGITS: usize = 15

/**
 * Writes a number as JavaScript prints it, which is the shortest decimal that is read as this number. Sets `isFull` for
 * one of more digits than MAX_DIGITS, or that is printed with an exponent.
 */
function fraction(to: usize, number: f64, withPoint: bool): usize {
  const size = abs(number)
  if (trunc(size) === size && size <= <f64>f64.MAX_SAFE_INTEGER) {
    to = integer(to, number)
    if (!withPoint) return to
    store<u8>(to, POINT)
    store<u8>(to, ZERO, 1)
    return to + 2
  }
  if (size >= 0.000001) {
    let scale: f64 = 1
    for (let digits: usize = 1; digits <= MAX_DIGITS; digits++) {
      scale *= 10
      // Off by less than a half, and the quotient of two exact numbers is the nearest one.
      const scaled = nearest(size * scale)
      if (scaled >= 1e15) break
      if (scaled / scale !== size) continue
      if (number < 0) store<u8>(to++, DASH)
      const whole = <u64>scaled / <u64>scale
      to = integer(to, <f64>whole)
      store<u8>(to, POINT)
      let rest = <u64>scaled - whole * <u64>scale
      for (let i = digits; i > 0; i--) {
        store<u8>(to + i, ZERO + <u8>(rest % 10))
        rest /= 10
      }
      return to + 1 + digits
    }
  }
  isFull = true
  return to
}

function decimal(to: usize, size: u32): usize {
  let length: usize = 1
  for (let bound: u32 = 10; length < 9 && size >= bound; bound *= 10) length++
  const end = to + length
  let at = end
  do {
    store<u8>(--at, ZERO + <u8>(size % 10))
    size /= 10
  } while (at > to)
  return end
}
