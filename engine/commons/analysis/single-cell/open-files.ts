import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { type FileIdentity, identityOf, sameIdentity } from '../../../shared/blobs/identity.ts'
import { descriptorShortage } from '../../../shared/descriptors.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Kept, Scratch } from '../../../shared/executor.ts'
import { Hdf5File } from './hdf5-file.ts'

/** Which file, and in which state, a job is to read. */
export interface FileState {
  readonly path: string
  readonly identity: FileIdentity
}

/** Files that a thread has open. */
const MAX_OPEN = 4
/** What the library holds of a file: mostly its cache of metadata. */
const FILE_BYTES = 1 << 20
export const HDF5_SIGNATURE = Buffer.from('\x89HDF\r\n\x1a\n', 'latin1')

/** The HDF5 files of one thread: each is open once, and the longest unused are closed. */
class OpenFiles implements Kept {
  readonly bytes = MAX_OPEN * FILE_BYTES
  readonly #files = new Map<string, { readonly identity: FileIdentity; readonly file: Hdf5File }>()

  take({ path, identity }: FileState, make: () => Hdf5File): Hdf5File {
    const known = this.#files.get(path)
    this.#files.delete(path)
    const isSame = known && sameIdentity(known.identity, identity)
    if (known && !isSame) known.file.close()
    const file = isSame ? known.file : make()
    this.#files.set(path, { identity, file })
    if (this.#files.size > MAX_OPEN) this.#closeOldest()
    return file
  }

  #closeOldest(): void {
    const [oldest] = this.#files
    if (!oldest) return
    this.#files.delete(oldest[0])
    oldest[1].file.close()
  }

  close(): void {
    for (const { file } of this.#files.values()) file.close()
    this.#files.clear()
  }
}

/**
 * The file, open. A thread keeps it open for the jobs to come. The library is loaded on first use,
 * since it takes a thread some megabytes and a twentieth of a second.
 * @throws EngineError bad_input for what is not HDF5; corrupt_source, also for a file that was
 *   replaced meanwhile; unavailable
 */
export async function openHdf5(state: FileState, scratch: Scratch): Promise<Hdf5File> {
  const library = await (await import('h5wasm/node')).ready
  // Nothing is awaited from here on: another job of this thread could close the file.
  const files = scratch.kept('single-cell.hdf5', () => new OpenFiles())
  return files.take(state, () => {
    mustBeHdf5(state)
    return Hdf5File.open(library, state.path)
  })
}

function mustBeHdf5({ path, identity }: FileState): void {
  const start = Buffer.alloc(HDF5_SIGNATURE.length)
  try {
    if (!sameIdentity(identityOf(statSync(path, { bigint: true })), identity)) {
      throw new EngineError('corrupt_source', 'the stored file was replaced while it was read')
    }
    const descriptor = openSync(path, 'r')
    try {
      readSync(descriptor, start, 0, start.length, 0)
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    const message = 'stored file cannot be opened'
    throw descriptorShortage(cause) ?? new EngineError('unavailable', message, { cause })
  }
  if (start.equals(HDF5_SIGNATURE)) return
  const message = 'the bytes of the file are not HDF5; give a file in HDF5 format'
  throw new EngineError('bad_input', message, { at: 'file_id' })
}
