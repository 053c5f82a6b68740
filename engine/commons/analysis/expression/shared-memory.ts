import { EngineError } from '../../../shared/errors.ts'

/** @throws EngineError unavailable when it cannot be had */
export function sharedMemory(bytes: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes)
  } catch (cause) {
    const message = `expression takes ${bytes} bytes of memory, which cannot be had`
    throw new EngineError('unavailable', message, { cause })
  }
}
