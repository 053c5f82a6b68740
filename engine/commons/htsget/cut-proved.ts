import type { StoredFile } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Cut } from './cutters.ts'

/** Returns a cutter that rejects files whose format was not validated when stored. They are served whole. */
export function ofProved(cut: Cut): Cut {
  return async (file, regions, run) => {
    mustBeProved(file)
    return cut(file, regions, run)
  }
}

/**
 * Rejects a file whose format was not validated.
 * @throws EngineError unsupported_type if it was not
 */
export function mustBeProved({ id, dataFormat }: Pick<StoredFile, 'id' | 'dataFormat'>): void {
  if (dataFormat !== null) return
  const message = `file ${id} was stored without a proof and is given whole alone; request it without regions and class, or import it with its index`
  throw new EngineError('unsupported_type', message)
}
