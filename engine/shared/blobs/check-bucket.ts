import { BUCKET_NEEDS, type BucketNeed } from './bucket-needs.ts'
import { BucketTrial } from './bucket-trial.ts'
import { storageError } from './object-errors.ts'
import type { ObjectStoreOptions } from './object-sdk.ts'

/** Result of trying a need on a bucket. */
interface TriedNeed extends Pick<BucketNeed, 'name' | 'what' | 'usedFor'> {
  /** `note` if casemill does without it. */
  readonly result: 'holds' | 'note' | 'fails'
  /** Reason, unless the need holds. */
  readonly problem?: string
}

/**
 * Tries everything that casemill needs of object storage, under a prefix of its own in the bucket, and removes what
 * it has made, also if it is stopped. About 40 MB are sent and read.
 * @throws EngineError `unavailable` if the bucket cannot be used at all, or if something could not be removed; the
 *   signal's reason
 */
export async function* checkBucket(
  options: ObjectStoreOptions,
  signal: AbortSignal,
): AsyncGenerator<TriedNeed> {
  const trial = await BucketTrial.open(options, signal)
  let isUsable = false
  try {
    for (const { name, what, usedFor, attempt } of BUCKET_NEEDS) {
      signal.throwIfAborted()
      const need = { name, what, usedFor }
      try {
        const found = await attempt(trial)
        if (!found) yield { ...need, result: 'holds' }
        else yield { ...need, result: found.isNote ? 'note' : 'fails', problem: found.problem }
        isUsable = true
      } catch (error) {
        signal.throwIfAborted()
        const failure = storageError(error, options.bucket)
        if (!isUsable) throw failure
        const { cause } = failure
        const kind = cause instanceof Error ? ` (${cause.message})` : ''
        yield { ...need, result: 'fails', problem: `${failure.message}${kind}` }
      }
    }
  } finally {
    // Without a single success nothing was stored, and the reason is the error to report.
    await trial.end().catch((error: unknown) => {
      if (isUsable) throw error
    })
  }
}
