import { readSync } from 'node:fs'
import { EngineError } from '../../../shared/errors.ts'

/**
 * Reads from a file offset until the buffer is full.
 * @throws EngineError corrupt_source if the file ends earlier
 */
export function readFully(descriptor: number, into: Uint8Array, position: number): void {
  let filled = 0
  while (filled < into.length) {
    const read = readSync(descriptor, into, filled, into.length - filled, position + filled)
    if (read === 0) throw new EngineError('corrupt_source', 'the file has ended too early')
    filled += read
  }
}
