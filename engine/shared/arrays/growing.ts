type Growing = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array

/**
 * Returns a longer copy, padded with zeros. Frees the old buffer at once, because these arrays are large and the
 * garbage collector, which looks at the small heap around them, would free them late.
 */
export function grown<T extends Growing>(array: T, least: number): T {
  const kind = array.constructor as new (buffer: ArrayBuffer) => T
  const length = Math.max(least, Math.ceil(array.length * 1.5), 16)
  const buffer = array.buffer as ArrayBuffer
  return new kind(buffer.transfer(length * array.BYTES_PER_ELEMENT))
}

/** Frees the memory of an array at once. The array is empty afterwards. */
export function free(array: ArrayBufferView): void {
  if (array.buffer instanceof ArrayBuffer && !array.buffer.detached) array.buffer.transfer(0)
}
