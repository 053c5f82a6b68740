import { EngineError } from '../../engine/shared/index.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the number of the shard for this process, starting at 1. Takes it from `I/N` if given, then from a
 * Slurm job array, whose tasks must start at 1, then from an indexed Kubernetes job, whose pods start at 0.
 * @returns undefined if none of these is set
 * @throws EngineError `bad_input` if the number does not match the number of shards
 */
export function shardNumber(
  given: string | undefined,
  environment: Environment,
  count: number,
): number | undefined {
  if (given !== undefined) return fromText(given, count)
  const { SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_MAX, JOB_COMPLETION_INDEX } = environment
  if (SLURM_ARRAY_TASK_ID !== undefined) {
    const number = wholeNumber(SLURM_ARRAY_TASK_ID)
    const last = SLURM_ARRAY_TASK_MAX ?? SLURM_ARRAY_TASK_ID
    if (number >= 1 && number <= count && wholeNumber(last) <= count) return number
    const task = `task ${SLURM_ARRAY_TASK_ID} of an array up to ${last}`
    throw wrong(`${task} is for none of the ${count} shards; use --array=1-${count}`)
  }
  if (JOB_COMPLETION_INDEX !== undefined) {
    const number = wholeNumber(JOB_COMPLETION_INDEX) + 1
    if (number >= 1 && number <= count) return number
    const index = `completion index ${JOB_COMPLETION_INDEX}`
    throw wrong(`${index} is for none of the ${count} shards; use completions: ${count}`)
  }
  return undefined
}

function fromText(given: string, count: number): number {
  const [, index = '', of = ''] = /^(\d{1,15})\/(\d{1,15})$/.exec(given) ?? []
  const number = Number(index)
  if (number >= 1 && number <= count && Number(of) === count) return number
  throw wrong(
    `${JSON.stringify(given)} is no shard of this plan; give one from 1/${count} to ${count}/${count}`,
  )
}

function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}

const wrong = (message: string) => new EngineError('bad_input', message)
