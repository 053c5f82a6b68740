import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { type FileIdentity, identityOf, sameIdentity } from '../../../shared/blobs/identity.ts'
import { LruCache } from '../../../shared/concurrency/lru-cache.ts'
import { descriptorShortage } from '../../../shared/descriptors.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Scratch } from '../../../shared/executor.ts'
import { Hdf5File } from './hdf5-file.ts'

/** Path and identity of the file that a job reads. */
export interface FileState {
  readonly path: string
  readonly identity: FileIdentity
}

/** Maximum number of open files per thread. */
const MAX_OPEN = 4
/** Memory that the library uses per open file in bytes, mostly for cached metadata. */
const FILE_BYTES = 1 << 20
export const HDF5_SIGNATURE = Buffer.from('\x89HDF\r\n\x1a\n', 'latin1')

interface Opened {
  readonly identity: FileIdentity
  readonly file: Hdf5File
}

/**
 * Opens an HDF5 file, and keeps it open for later jobs of the same thread. The library is loaded on first use,
 * because it takes some megabytes and 50 milliseconds per thread.
 * @throws EngineError bad_input if it is not an HDF5 file; corrupt_source if it is damaged or has been
 *   replaced; unavailable
 */
export async function openHdf5(state: FileState, scratch: Scratch): Promise<Hdf5File> {
  const library = await (await import('h5wasm/node')).ready
  // There must be no `await` from here on, because another job of this thread could close the file.
  const files = scratch.cached('single-cell.hdf5', openFiles)
  const { path, identity } = state
  const known = files.peek(path)
  if (known && !sameIdentity(known.identity, identity)) files.forget(path)
  const { file } = files.of(path, () => {
    requireHdf5(state)
    return { identity, file: Hdf5File.open(library, path) }
  })
  return file
}

/** Creates a thread's cache of open files. */
const openFiles = () =>
  new LruCache<Opened>(MAX_OPEN, {
    bytes: MAX_OPEN * FILE_BYTES,
    dispose: ({ file }) => file.close(),
  })

function requireHdf5({ path, identity }: FileState): void {
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
