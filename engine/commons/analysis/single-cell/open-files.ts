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

/** Maximum number of files open per thread. */
const MAX_OPEN = 4
/** Memory per open file in the library, mostly its metadata cache. */
const FILE_BYTES = 1 << 20
export const HDF5_SIGNATURE = Buffer.from('\x89HDF\r\n\x1a\n', 'latin1')

interface Opened {
  readonly identity: FileIdentity
  readonly file: Hdf5File
}

/**
 * Opens a file, which the thread keeps open for later jobs. The library is loaded on first use, since it
 * takes some megabytes and 50 milliseconds per thread.
 * @throws EngineError bad_input if it is not HDF5; corrupt_source, also for a file that was replaced
 * meanwhile; unavailable
 */
export async function openHdf5(state: FileState, scratch: Scratch): Promise<Hdf5File> {
  const library = await (await import('h5wasm/node')).ready
  // Nothing is awaited from here on, since another job of this thread could close the file.
  const files = scratch.cached('single-cell.hdf5', openFiles)
  const { path, identity } = state
  const known = files.peek(path)
  if (known && !sameIdentity(known.identity, identity)) files.forget(path)
  const { file } = files.of(path, () => {
    mustBeHdf5(state)
    return { identity, file: Hdf5File.open(library, path) }
  })
  return file
}

/** Creates the cache of one thread's open files. */
const openFiles = () =>
  new LruCache<Opened>(MAX_OPEN, {
    bytes: MAX_OPEN * FILE_BYTES,
    dispose: ({ file }) => file.close(),
  })

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
