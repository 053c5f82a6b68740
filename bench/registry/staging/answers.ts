import type { InputMap, StagingData } from '../../../engine/registry/staging/algorithm/result.ts'
import type { Cases, Recorded } from './input.ts'

/**
 * How many cases end how, when all are staged as was recorded.
 * @throws Error for the first that is staged otherwise
 */
export function countResults(
  { algorithm, recorded }: Cases,
  stage: (input: InputMap) => StagingData,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const one of recorded) {
    const answer = stage(one.input)
    if (!isAsRecorded(one, answer)) {
      throw new Error(`a case of ${algorithm} is staged otherwise: ${JSON.stringify(answer)}`)
    }
    counts[answer.result] = (counts[answer.result] ?? 0) + 1
  }
  return counts
}

/** A key that an answer leaves out was recorded as blank. */
function isAsRecorded(wanted: Recorded, answer: StagingData): boolean {
  const { result, schema_id = null, output, errors, path } = answer
  return (
    result === wanted.result &&
    schema_id === wanted.schema &&
    errors.length === wanted.errors &&
    path.length === wanted.path &&
    Object.entries(wanted.output).every(([key, value]) => (output[key] ?? '') === value)
  )
}
