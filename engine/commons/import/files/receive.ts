import { realpath, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { OpenBlob } from '../../../shared/blobs/blob.ts'
import { openFile } from '../../../shared/blobs/folder-store.ts'
import { type FileIdentity, identityOf, sameIdentity } from '../../../shared/blobs/identity.ts'
import { isDiskFull } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import { unlessAbsent } from '../../../shared/unless-absent.ts'
import { explainAbsence } from '../../slicing/explain-file.ts'
import { type Copied, copyHashed } from './copy.ts'
import { ImportProgress } from './import-progress.ts'
import { type FileProof, type ImportedKind, proveFile } from './prove-file.ts'
import type { ReceiveRun, Workplace } from './receive-run.ts'
import { isHdf5, type SortedGenes, sortGenes } from './sort-genes.ts'

/** A file to be stored. */
interface Arriving {
  readonly path: string
  /** Expected MD5 and size of the file, if they are known. */
  readonly expected?: { readonly md5: string; readonly size: number } | undefined
  /** Whether to link to the file instead of copying it. */
  readonly link: boolean
  /** Whether to verify that the file can be sliced. `must` rejects a file that cannot be. */
  readonly proof: 'no' | 'try' | 'must'
  /** Kind that the file must have if it is verified. */
  readonly accepts: ImportedKind
  readonly indexPath?: string | undefined
  /** Whether to sort the values of an HDF5 file by gene. */
  readonly byGene?: boolean
}

/** A file that is verified and complete but not yet visible. */
export interface Received extends SortedGenes {
  readonly sourcePath: string
  readonly size: number
  readonly md5: string
  /** SHA-256 in hex. Undefined for bytes that were validated elsewhere and not read again. */
  readonly sha256: string | undefined
  /** Path of the copy. Undefined for a linked file. */
  readonly partPath: string | undefined
  /** Modification time of a linked file. */
  readonly linkedModified: string | null
  readonly proof: FileProof | undefined
  /** Reason why the file cannot be sliced although its format can be. */
  readonly unsliceable: string | undefined
  readonly workplace: Workplace
}

/**
 * Verifies a file's size and MD5 while copying the file or, if it is linked, while reading it. A BAM or other
 * sliceable file is validated at the same time. After an interruption, another call for the same file resumes.
 * The caller finishes and closes the workplace in the result.
 * @throws EngineError conflict if size or MD5 differ or the file changes meanwhile, unavailable,
 *   corrupt_source; bad_input and no_index for a file that must be a BAM
 */
export async function receiveFile(what: Arriving, run: ReceiveRun): Promise<Received> {
  const source = await openGiven(what.path)
  try {
    const { identity } = source
    const { expected } = what
    if (expected && identity.size !== expected.size) {
      const { size } = identity
      throw new EngineError('conflict', `file has ${size} bytes, ${expected.size} are expected`)
    }
    const sourcePath = await realpath(what.path)
    const isSmall = run.smallPlace !== undefined && what.proof === 'no'
    const progress = isSmall
      ? undefined
      : await ImportProgress.open(run.incoming, sourcePath, identity)
    const workplace = progress ?? (run.smallPlace as Workplace)
    try {
      const partPath = what.link ? undefined : workplace.partPath()
      if (partPath !== undefined) await run.space.require(identity.size - (await sizeOf(partPath)))
      const taken = await takeIn(what, { ...run, source, progress, partPath })
      // A small file needs no check: if its copy has the expected MD5, changes to the source do not matter.
      if (progress) await mustBeSame(what.path, identity)
      if (expected && taken.md5 !== expected.md5) {
        if (partPath !== undefined) await rm(partPath, { force: true })
        const { md5 } = taken
        throw new EngineError('conflict', `md5 is ${md5}, ${expected.md5} is expected`)
      }
      const sorted =
        what.byGene && (await isHdf5(source))
          ? await sortGenes(partPath ?? sourcePath, workplace, run)
          : { genes: undefined, unsorted: undefined, unread: [] }
      if (what.link) await mustBeSame(what.path, identity)
      const linkedModified = what.link ? identity.modified : null
      const { size } = identity
      return { ...taken, ...sorted, sourcePath, size, partPath, linkedModified, workplace }
    } catch (error) {
      await giveUp(workplace, error)
      throw error
    }
  } finally {
    await source.close()
  }
}

/**
 * Closes the workplace and keeps completed work for the next attempt. Removes the work if the disk is full, or
 * if the content of the file was rejected: it would be rejected again, and its copy may be large.
 */
export async function giveUp(workplace: Workplace, error: unknown): Promise<void> {
  if (isDiskFull(error) || isRefused(error)) await workplace.finish()
  await workplace.close()
}

const isRefused = (error: unknown) => error instanceof EngineError && error.code === 'bad_input'

async function sizeOf(path: string): Promise<number> {
  return (await unlessAbsent(stat(path)))?.size ?? 0
}

async function openGiven(path: string): Promise<OpenBlob> {
  try {
    return await openFile(path)
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause
    const absence = await explainAbsence(path)
    if (absence) throw absence
    const message = cause.message.replace('stored file', `"${basename(path)}"`)
    throw new EngineError(cause.code, message, { cause })
  }
}

async function mustBeSame(path: string, before: FileIdentity): Promise<void> {
  const now = await unlessAbsent(stat(path, { bigint: true }))
  if (now && sameIdentity(before, identityOf(now))) return
  throw new EngineError('conflict', `"${basename(path)}" changed while it was read`)
}

interface TakeInRun extends ReceiveRun {
  readonly source: OpenBlob
  readonly progress: ImportProgress | undefined
  readonly partPath: string | undefined
}

/** Copies and verifies the file concurrently. */
async function takeIn(what: Arriving, run: TakeInRun) {
  const { executor, progress, onVerified } = run
  const stop = new AbortController()
  const signal = run.signal ? AbortSignal.any([run.signal, stop.signal]) : stop.signal
  const proving =
    progress && what.proof !== 'no'
      ? proveFile(what, { executor, progress, signal, onProgress: onVerified })
      : Promise.resolve(undefined)
  const reported = what.proof === 'try' ? proving.catch(unsliceableBy) : proving
  const [proof, { md5, sha256 }] = await allOrStop(stop, [reported, copy(what, { ...run, signal })])
  return typeof proof === 'string'
    ? { md5, sha256, proof: undefined, unsliceable: proof }
    : { md5, sha256, proof, unsliceable: undefined }
}

/**
 * Returns the message of an error that is due to the file itself.
 * @throws any other error
 */
export function unsliceableBy(error: unknown): string {
  const errors: readonly string[] = ['bad_input', 'corrupt_source', 'no_index', 'too_large']
  if (error instanceof EngineError && errors.includes(error.code)) return error.message
  throw error
}

async function copy(what: Arriving, run: TakeInRun): Promise<Copied> {
  const { source, partPath, buffer, signal, onCopied: onBytes } = run
  const { expected } = what
  // An earlier partial copy is used only if the MD5 is known, because only the MD5 can show that it is damaged.
  const resume = expected !== undefined && run.progress !== undefined
  const copied = await copyHashed(source, { partPath, resume, buffer, signal, onBytes })
  if (!expected || copied.md5 === expected.md5 || copied.resumedBytes === 0) return copied
  return copyHashed(source, { partPath, buffer, signal })
}

/** Returns both results. If one fails, stops the other, waits until both have settled, and throws the first error. */
async function allOrStop<A, B>(
  stop: AbortController,
  [a, b]: readonly [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const onFailure = (error: unknown) => {
    stop.abort(error)
    throw error
  }
  const settled = await Promise.allSettled([a.catch(onFailure), b.catch(onFailure)])
  if (stop.signal.aborted) throw stop.signal.reason
  return settled.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as [
    A,
    B,
  ]
}
