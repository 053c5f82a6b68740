import { EngineError } from '../../../shared/errors.ts'

/**
 * Allocates shared memory.
 * @throws EngineError unavailable if there is not enough memory
 */
export function sharedMemory(bytes: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes)
  } catch (cause) {
    const message = `expression takes ${bytes} bytes of memory, which is not available`
    throw new EngineError('unavailable', message, { cause })
  }
}
