import { createReadStream } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { stdin } from 'node:process'
import { EngineError, type LineSource } from '../engine/index.ts'

const READ_BYTES = 256 << 10

/** Lines of a file, or of standard input for `-`. */
export async function openLines(path: string): Promise<LineSource> {
  if (path === '-') return stdin
  try {
    await access(path, constants.R_OK)
  } catch (cause) {
    throw new EngineError('not_found', `"${path}" cannot be read`, { cause })
  }
  return createReadStream(path, { highWaterMark: READ_BYTES })
}
