import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { depth } from '../test/depth.ts'
import { ThreadKernels } from './kernels.ts'

const { inflater } = new ThreadKernels()

/** Draws data with near repetitions, distant repetitions and none. */
const data = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.record({ byte: fc.nat(255), times: fc.nat(2000) }),
      fc.record({ back: fc.integer({ min: 1, max: 40_000 }), length: fc.nat(600) }),
      fc.record({
        seed: fc.nat(),
        letters: fc.integer({ min: 1, max: 256 }),
        length: fc.nat(9000),
      }),
    ),
    { maxLength: 25 },
  )
  .map((parts) => {
    const bytes: number[] = []
    for (const part of parts) {
      if (part instanceof Uint8Array) bytes.push(...part)
      else if ('byte' in part) bytes.push(...new Array<number>(part.times).fill(part.byte))
      else if ('back' in part) {
        const from = Math.max(0, bytes.length - part.back)
        for (let i = 0; i < part.length; i++) bytes.push(bytes[from + i] ?? i & 0xff)
      } else {
        let state = part.seed
        for (let i = 0; i < part.length; i++) {
          state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
          bytes.push((state >>> 16) % part.letters)
        }
      }
    }
    return Uint8Array.from(bytes.slice(0, 65_280))
  })

const options = fc.record({
  level: fc.integer({ min: 0, max: 9 }),
  strategy: fc.constantFrom(
    constants.Z_DEFAULT_STRATEGY,
    constants.Z_FILTERED,
    constants.Z_HUFFMAN_ONLY,
    constants.Z_RLE,
    constants.Z_FIXED,
  ),
  memLevel: fc.integer({ min: 1, max: 9 }),
})

/** Returns the stream as inflated by zlib, or undefined if zlib rejects it. */
function byZlib(deflated: Uint8Array): Buffer | undefined {
  try {
    return inflateRawSync(deflated, { maxOutputLength: 65_536 })
  } catch {
    return undefined
  }
}

describe('the kernel that inflates', () => {
  test('accepts what zlib deflates, in any of its ways, and inflates it to the same bytes', () => {
    expect(inflater).toBeDefined()
    fc.assert(
      fc.property(data, options, (bytes, how) => {
        const deflated = deflateRawSync(bytes, how)
        fc.pre(deflated.length <= 65_536)
        const inflated = inflater?.inflate(deflated)
        expect(inflated && Buffer.compare(inflated, bytes)).toBe(0)
      }),
      { numRuns: depth(100, 20_000) },
    )
  })

  test('never inflates damaged streams to anything but what zlib does', () => {
    const damage = fc.record({
      bytes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
      cut: fc.option(fc.nat()),
    })
    const seen = { refused: 0, accepted: 0 }
    fc.assert(
      fc.property(data, options, damage, (bytes, how, { bytes: changes, cut }) => {
        const whole = deflateRawSync(bytes, how)
        fc.pre(whole.length <= 65_536)
        for (const [at, value] of changes) whole[at % whole.length] = value
        const deflated = cut === null ? whole : whole.subarray(0, cut % whole.length)
        const inflated = inflater?.inflate(deflated)
        if (!inflated) {
          seen.refused++
          return
        }
        seen.accepted++
        const expected = byZlib(deflated)
        expect(expected && Buffer.compare(inflated, expected)).toBe(0)
      }),
      { numRuns: depth(200, 50_000) },
    )
    expect(Math.min(seen.refused, seen.accepted)).toBeGreaterThan(10)
  })

  test('refuses what is longer than a block', () => {
    expect(inflater?.inflate(deflateRawSync(new Uint8Array(65_536)))).toHaveLength(65_536)
    expect(inflater?.inflate(deflateRawSync(new Uint8Array(65_537)))).toBeUndefined()
    expect(inflater?.inflate(new Uint8Array(65_537))).toBeUndefined()
  })
})

describe('kernels that cannot be used', () => {
  afterEach(() => vi.unstubAllGlobals())

  test('are left out on a processor without their instructions', () => {
    // V8 throws this message where SIMD is missing.
    class Module {
      constructor() {
        throw new Error('WebAssembly.Module(): Wasm SIMD unsupported')
      }
    }
    vi.stubGlobal('WebAssembly', { Module })
    const kernels = new ThreadKernels()
    expect([kernels.inflater, kernels.rows]).toEqual([undefined, undefined])
  })

  test('are left out where WebAssembly is off', () => {
    vi.stubGlobal('WebAssembly', undefined)
    const kernels = new ThreadKernels()
    expect([kernels.inflater, kernels.rows]).toEqual([undefined, undefined])
  })
})
