// Inflates DEFLATE data (RFC 1951) of whole blocks of at most 64 KiB. Source and target lie in this module's
// memory. The code follows libdeflate: it has a buffer of 64 bits, tables whose entries give a symbol and its
// extra bits at once, and it copies matches word by word. It rejects unusual data; the caller then gives them to
// zlib.
//
// The language is AssemblyScript. tools/kernels/compile.ts compiles it to WebAssembly.

/** Where the caller writes a deflated block, and where it is inflated. Both have room for accesses past the end. */
export const SOURCE: usize = 0x20000
export const TARGET: usize = 0x40000

/** Number of bits that index the first table of each kind. */
const LITERAL_BITS: u32 = 11
const DISTANCE_BITS: u32 = 8
/** Bits of the longest code. */
const MAX_BITS: u32 = 15
const LITERAL_MASK: u64 = (1 << LITERAL_BITS) - 1
const DISTANCE_MASK: u64 = (1 << DISTANCE_BITS) - 1

// A table entry is a 32-bit number. Bits 0 to 5 count the bits that it consumes, including extra bits. Bits 6 to
// 9 count the bits of the code alone. From bit 16: a literal, the base of a length or distance, or the index of
// a further table.
const LITERAL: u32 = 0x8000
const FURTHER: u32 = 0x4000
const END: u32 = 0x2000
const INVALID: u32 = 0x1000

/**
 * Number of entries, including further tables. No codes need more (zlib's enough.c, 286 and 30 symbols of 15
 * bits).
 */
const LITERAL_ENTRIES: i32 = 2048 + 1024
const DISTANCE_ENTRIES: i32 = 256 + 512

const literals: usize = memory.data(LITERAL_ENTRIES * 4, 16)
const distances: usize = memory.data(DISTANCE_ENTRIES * 4, 16)
const codeLengths: usize = memory.data(128 * 4, 16)
/** Lengths of a block's codes: literals, then distances. The rest is for a repetition that passes the end. */
const lengths: usize = memory.data(320 + 144, 16)
const counts: usize = memory.data(16 * 4, 16)
const firsts: usize = memory.data(17 * 4, 16)
const sorted: usize = memory.data(320 * 2, 16)

/** Symbols as entries without their code: base and extra bits of lengths and distances, and literals. */
const literalSymbols: usize = memory.data(288 * 4, 16)
const distanceSymbols: usize = memory.data(32 * 4, 16)
const codeSymbols: usize = memory.data(32 * 4, 16)

const ORDER: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
])

/** Fills the tables of symbols. Called once. */
function prepare(): void {
  for (let symbol: u32 = 0; symbol < 256; symbol++) {
    store<u32>(literalSymbols + (symbol << 2), (symbol << 16) | LITERAL)
  }
  store<u32>(literalSymbols + (256 << 2), END)
  let base: u32 = 3
  for (let symbol: u32 = 257; symbol < 285; symbol++) {
    const extra: u32 = symbol < 265 ? 0 : (symbol - 261) >> 2
    store<u32>(literalSymbols + (symbol << 2), (base << 16) | extra)
    base += 1 << extra
  }
  store<u32>(literalSymbols + (285 << 2), 258 << 16)
  store<u32>(literalSymbols + (286 << 2), INVALID)
  store<u32>(literalSymbols + (287 << 2), INVALID)
  base = 1
  for (let symbol: u32 = 0; symbol < 30; symbol++) {
    const extra: u32 = symbol < 4 ? 0 : (symbol - 2) >> 1
    store<u32>(distanceSymbols + (symbol << 2), (base << 16) | extra)
    base += 1 << extra
  }
  store<u32>(distanceSymbols + (30 << 2), INVALID)
  store<u32>(distanceSymbols + (31 << 2), INVALID)
  for (let symbol: u32 = 0; symbol < 19; symbol++) {
    store<u32>(codeSymbols + (symbol << 2), (symbol << 16) | LITERAL)
  }
}

/** Returns the entry of a symbol whose code has `bits` bits, of which `before` were consumed already. */
function entryOf(symbols: usize, symbol: u32, bits: u32, before: u32): u32 {
  const plain = load<u32>(symbols + (symbol << 2))
  const own = bits - before
  return plain + own + (own << 6)
}

function reversed(code: u32, bits: u32): u32 {
  let out: u32 = 0
  for (let i: u32 = 0; i < bits; i++) {
    out = (out << 1) | (code & 1)
    code >>= 1
  }
  return out
}

/**
 * Builds the decoding table of a set of codes. Returns false if zlib would not accept the set.
 * @param most maximum number of entries in the table
 */
function makeTable(
  table: usize,
  bits: u32,
  most: i32,
  from: usize,
  count: i32,
  symbols: usize,
  mayLackCodes: bool,
): bool {
  memory.fill(counts, 0, 64)
  for (let i = 0; i < count; i++) {
    const at = counts + ((<usize>load<u8>(from + i)) << 2)
    store<u32>(at, load<u32>(at) + 1)
  }
  let longest: u32 = MAX_BITS
  while (longest > 0 && load<u32>(counts + (longest << 2)) === 0) longest--
  const size: u32 = 1 << bits
  if (longest === 0) {
    for (let i: u32 = 0; i < size; i++) store<u32>(table + (i << 2), INVALID | 1)
    return mayLackCodes
  }
  let left: i32 = 1
  let first: u32 = 0
  store<u32>(firsts, 0)
  for (let length: u32 = 1; length <= MAX_BITS; length++) {
    const here = load<u32>(counts + (length << 2))
    left = (left << 1) - <i32>here
    if (left < 0) return false
    store<u32>(firsts + (length << 2), first)
    first += here
  }
  // A set may also consist of a single code.
  const isWhole = left === 0
  if (!isWhole && !(mayLackCodes && longest === 1)) return false
  for (let i = 0; i < count; i++) {
    const length = <u32>load<u8>(from + i)
    if (length === 0) continue
    const at = firsts + (length << 2)
    const place = load<u32>(at)
    store<u16>(sorted + (place << 1), <u16>i)
    store<u32>(at, place + 1)
  }
  if (!isWhole) for (let i: u32 = 0; i < size; i++) store<u32>(table + (i << 2), INVALID | 1)

  let code: u32 = 0
  let at: u32 = 0
  const short = longest < bits ? longest : bits
  for (let length: u32 = 1; length <= short; length++) {
    code <<= 1
    for (let n = load<u32>(counts + (length << 2)); n > 0; n--) {
      const entry = entryOf(symbols, <u32>load<u16>(sorted + (at << 1)), length, 0)
      const step: u32 = 1 << length
      for (let i = reversed(code, length); i < size; i += step) store<u32>(table + (i << 2), entry)
      code++
      at++
    }
  }
  // Codes longer than that go on in a further table for each beginning.
  let used = size
  let begun: u32 = 0xffffffff
  let furtherBits: u32 = 0
  let further: u32 = 0
  for (let length = bits + 1; length <= longest; length++) {
    code <<= 1
    for (let n = load<u32>(counts + (length << 2)); n > 0; n--) {
      const begin = code >> (length - bits)
      if (begin !== begun) {
        begun = begin
        further = used
        // The table has as many index bits as the longest code with this beginning needs.
        furtherBits = length - bits
        let room: i32 = 1 << furtherBits
        let here = <i32>n
        while (furtherBits + bits < longest) {
          room -= here
          if (room <= 0) break
          furtherBits++
          room <<= 1
          here = load<u32>(counts + ((furtherBits + bits) << 2))
        }
        used += 1 << furtherBits
        if (<i32>used > most) return false
        const pointer = (further << 16) | FURTHER | (furtherBits << 6) | bits
        store<u32>(table + (reversed(begin, bits) << 2), pointer)
      }
      const own = length - bits
      const entry = entryOf(symbols, <u32>load<u16>(sorted + (at << 1)), length, bits)
      const low = code & ((1 << own) - 1)
      const step: u32 = 1 << own
      const end: u32 = 1 << furtherBits
      for (let i = reversed(low, own); i < end; i += step) {
        store<u32>(table + ((further + i) << 2), entry)
      }
      code++
      at++
    }
  }
  return true
}

/**
 * Inflates the bytes from `source` to `sourceEnd` into `target`. Reads up to 16 bytes past the end of the
 * source, and writes up to 300 bytes past the end of the target.
 * @returns the inflated length in bytes, or -1 if the data are invalid, unusual, or longer than `most` bytes
 */
export function inflate(source: usize, sourceEnd: usize, target: usize, most: usize): i32 {
  let bits: u64 = 0
  let have: u32 = 0
  let next = source
  let out = target
  const end = target + most
  const lastWord = sourceEnd + 8
  let isLast = false
  while (!isLast) {
    // After this, the buffer has at least 56 bits.
    bits |= load<u64>(next) << have
    next += (63 - have) >> 3
    have |= 56
    isLast = (bits & 1) !== 0
    const kind = <u32>(bits >> 1) & 3
    bits >>= 3
    have -= 3
    if (kind === 0) {
      next -= have >> 3
      if (next + 4 > sourceEnd) return -1
      const length = <u32>load<u16>(next)
      if ((length ^ 0xffff) !== <u32>load<u16>(next, 2)) return -1
      next += 4
      if (next + length > sourceEnd || out + length > end) return -1
      memory.copy(out, next, length)
      out += length
      next += length
      bits = 0
      have = 0
      continue
    }
    if (kind === 1) {
      memory.fill(lengths, 8, 144)
      memory.fill(lengths + 144, 9, 112)
      memory.fill(lengths + 256, 7, 24)
      memory.fill(lengths + 280, 8, 8)
      memory.fill(lengths + 288, 5, 32)
      if (!makeTable(literals, LITERAL_BITS, LITERAL_ENTRIES, lengths, 288, literalSymbols, false))
        return -1
      if (
        !makeTable(
          distances,
          DISTANCE_BITS,
          DISTANCE_ENTRIES,
          lengths + 288,
          32,
          distanceSymbols,
          false,
        )
      )
        return -1
    } else if (kind === 2) {
      const literalCount = (<i32>bits & 31) + 257
      const distanceCount = (<i32>(bits >> 5) & 31) + 1
      const codeCount = (<i32>(bits >> 10) & 15) + 4
      bits >>= 14
      have -= 14
      if (literalCount > 286 || distanceCount > 30) return -1
      memory.fill(lengths, 0, 19)
      for (let i = 0; i < codeCount; i++) {
        if (have < 3) {
          bits |= load<u64>(next) << have
          next += (63 - have) >> 3
          have |= 56
        }
        store<u8>(lengths + load<u8>(ORDER + i), <u8>bits & 7)
        bits >>= 3
        have -= 3
      }
      if (!makeTable(codeLengths, 7, 128, lengths, 19, codeSymbols, false)) return -1
      const all = literalCount + distanceCount
      for (let i = 0; i < all; ) {
        bits |= load<u64>(next) << have
        next += (63 - have) >> 3
        have |= 56
        if (next > lastWord) return -1
        const entry = load<u32>(codeLengths + ((<usize>bits & 127) << 2))
        bits >>= <u64>entry & 63
        have -= entry & 63
        const symbol = entry >> 16
        if (symbol < 16) {
          store<u8>(lengths + i, <u8>symbol)
          i++
          continue
        }
        let again: i32
        let value: u8 = 0
        if (symbol === 16) {
          if (i === 0) return -1
          value = load<u8>(lengths + i - 1)
          again = 3 + (<i32>bits & 3)
          bits >>= 2
          have -= 2
        } else if (symbol === 17) {
          again = 3 + (<i32>bits & 7)
          bits >>= 3
          have -= 3
        } else {
          again = 11 + (<i32>bits & 127)
          bits >>= 7
          have -= 7
        }
        if (i + again > all) return -1
        memory.fill(lengths + i, value, again)
        i += again
      }
      if (load<u8>(lengths + 256) === 0) return -1
      // The table of distances is built first, because the lengths of its codes follow those of the literals in
      // `lengths`.
      if (
        !makeTable(
          distances,
          DISTANCE_BITS,
          DISTANCE_ENTRIES,
          lengths + literalCount,
          distanceCount,
          distanceSymbols,
          true,
        )
      )
        return -1
      if (
        !makeTable(
          literals,
          LITERAL_BITS,
          LITERAL_ENTRIES,
          lengths,
          literalCount,
          literalSymbols,
          true,
        )
      )
        return -1
    } else return -1

    bits |= load<u64>(next) << have
    next += (63 - have) >> 3
    have |= 56
    // The next entry is looked up before a match is copied, because the lookup does not depend on the copy.
    let entry = load<u32>(literals + ((<usize>(bits & LITERAL_MASK)) << 2))
    for (;;) {
      // Bits past the end of the source are not part of the data, so a stream that needs them is truncated.
      if (next > lastWord || out > end) return -1
      if (entry & LITERAL) {
        // Three literals take at most 33 bits.
        bits >>= <u64>entry
        have -= entry & 63
        store<u8>(out++, <u8>(entry >> 16))
        entry = load<u32>(literals + ((<usize>(bits & LITERAL_MASK)) << 2))
        if (entry & LITERAL) {
          bits >>= <u64>entry
          have -= entry & 63
          store<u8>(out++, <u8>(entry >> 16))
          entry = load<u32>(literals + ((<usize>(bits & LITERAL_MASK)) << 2))
          if (entry & LITERAL) {
            bits >>= <u64>entry
            have -= entry & 63
            store<u8>(out++, <u8>(entry >> 16))
            bits |= load<u64>(next) << have
            next += (63 - have) >> 3
            have |= 56
            entry = load<u32>(literals + ((<usize>(bits & LITERAL_MASK)) << 2))
            continue
          }
        }
        bits |= load<u64>(next) << have
        next += (63 - have) >> 3
        have |= 56
      }
      if (entry & (FURTHER | END | INVALID)) {
        if (entry & FURTHER) {
          bits >>= <u64>(entry & 63)
          have -= entry & 63
          const mask = (1 << ((entry >> 6) & 15)) - 1
          entry = load<u32>(literals + (((entry >> 16) + (<u32>bits & mask)) << 2))
          if (entry & LITERAL) {
            bits >>= <u64>entry
            have -= entry & 63
            store<u8>(out++, <u8>(entry >> 16))
            bits |= load<u64>(next) << have
            next += (63 - have) >> 3
            have |= 56
            entry = load<u32>(literals + ((<usize>(bits & LITERAL_MASK)) << 2))
            continue
          }
        }
        if (entry & INVALID) return -1
        if (entry & END) {
          bits >>= <u64>entry
          have -= entry & 63
          break
        }
      }
      // A length, a distance and their extra bits take at most 48 bits together.
      let before = bits
      bits >>= <u64>entry
      have -= entry & 63
      let length = entry >> 16
      let code = (entry >> 6) & 15
      length += <u32>(before >> <u64>code) & ((1 << ((entry & 63) - code)) - 1)
      entry = load<u32>(distances + ((<usize>(bits & DISTANCE_MASK)) << 2))
      if (entry & (FURTHER | INVALID)) {
        if (entry & FURTHER) {
          bits >>= <u64>(entry & 63)
          have -= entry & 63
          const mask = (1 << ((entry >> 6) & 15)) - 1
          entry = load<u32>(distances + (((entry >> 16) + (<u32>bits & mask)) << 2))
        }
        if (entry & INVALID) return -1
      }
      before = bits
      bits >>= <u64>entry
      have -= entry & 63
      let distance = entry >> 16
      code = (entry >> 6) & 15
      distance += <u32>(before >> <u64>code) & ((1 << ((entry & 63) - code)) - 1)
      if (<usize>distance > out - target) return -1
      bits |= load<u64>(next) << have
      next += (63 - have) >> 3
      have |= 56
      entry = load<u32>(literals + ((<usize>(bits & LITERAL_MASK)) << 2))
      let from = out - distance
      const stop = out + length
      if (distance >= 16) {
        v128.store(out, v128.load(from))
        if (length > 16) {
          do {
            out += 16
            from += 16
            v128.store(out, v128.load(from))
          } while (out + 16 < stop)
        }
      } else if (distance === 1) {
        const run = v128.splat<u8>(load<u8>(from))
        do {
          v128.store(out, run)
          out += 16
        } while (out < stop)
      } else if (distance >= 8) {
        do {
          store<u64>(out, load<u64>(from))
          out += 8
          from += 8
        } while (out < stop)
      } else {
        // A copy by words would read bytes that have not been written yet.
        do {
          store<u8>(out, load<u8>(from))
          store<u8>(out, load<u8>(from, 1), 1)
          out += 2
          from += 2
        } while (out < stop)
      }
      out = stop
    }
  }
  // Whole bytes that were read ahead are not consumed.
  if (next - (have >> 3) > sourceEnd || out > end) return -1
  return <i32>(out - target)
}

prepare()
