import { afterEach, describe, expect, test, vi } from 'vitest'
import { ReleaseMemory } from './release-memory.ts'

const ARRAYS = 1 << 20

afterEach(() => vi.unstubAllGlobals())

describe('the memory of a release', () => {
  test('has buffers and arrays that are apart, in a memory of kernels', () => {
    const memory = new ReleaseMemory(ARRAYS)
    const arrays = memory.arrays()
    const [first, second] = [memory.buffers.take(), memory.buffers.take()]
    expect(arrays.length).toBe(ARRAYS)
    for (const part of [arrays, first, second]) expect(part.buffer).toBe(memory.wasm?.buffer)
    expect(second.byteOffset).toBeGreaterThanOrEqual(first.byteOffset + first.length)
    expect(arrays.byteOffset).toBeGreaterThanOrEqual(second.byteOffset + second.length)
  })

  test('is plain where the addresses of a kernel cannot be reserved, or WebAssembly is off', () => {
    class Memory {
      constructor() {
        throw new RangeError('WebAssembly.Memory(): could not allocate memory')
      }
    }
    for (const wasm of [{ Memory }, undefined]) {
      vi.stubGlobal('WebAssembly', wasm)
      const memory = new ReleaseMemory(ARRAYS)
      expect(memory.wasm).toBeUndefined()
      expect(memory.arrays().fill(1)).toHaveLength(ARRAYS)
      expect(memory.buffers.take().buffer).toBe(memory.arrays().buffer)
    }
  })

  test('is plain where it is longer than 32 bits can address', () => {
    expect(new ReleaseMemory(5 * 2 ** 30).wasm).toBeUndefined()
  })
})
