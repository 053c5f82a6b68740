import type { OpenBlob } from '../blobs/blob.ts'
import type { StoredFile } from '../catalogue/files.ts'
import type { Shared } from '../shared.ts'
import { Scrub, type ScrubOptions } from './scrub.ts'
import { ScrubStore } from './scrub-store.ts'

/**
 * Creates the scrub of a data folder, not yet started. Returns `undefined` for a rate of 0.
 * @param open opens the bytes of a file
 */
export function scrubOf(
  { files, clock, checks, integrity, state, report }: Shared,
  open: (file: StoredFile) => Promise<OpenBlob>,
  options: ScrubOptions,
): Scrub | undefined {
  if (options.bytesPerSecond === 0) return undefined
  const context = {
    files,
    clock,
    checks,
    integrity,
    open,
    store: new ScrubStore(state),
    onError: (cause: unknown, fileId?: string) => {
      const message = fileId
        ? 'the bytes of a stored file cannot be looked at now'
        : 'stored files cannot be looked at now'
      report({ level: 'warn', message, cause, ...(fileId ? { fileId } : {}) })
    },
  }
  return new Scrub(context, options)
}
