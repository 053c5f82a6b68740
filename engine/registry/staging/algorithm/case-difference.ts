import type { CompiledVersion } from './compiled-version.ts'
import { type MemberChange, memberDifference } from './member-difference.ts'
import type { InputMap, StagingData, Visit } from './result.ts'
import { stage } from './stage.ts'

/** The difference between the results of two versions for one case. */
type CaseDifference =
  | { readonly changed: false }
  | {
      readonly changed: true
      /** Changes in `result`, `schema_id`, `output` and `errors`. */
      readonly changes: readonly MemberChange[]
      /** Table visits that only one of the versions made, or that had another result in the other version. */
      readonly why: { readonly before: readonly Visit[]; readonly after: readonly Visit[] }
    }

/**
 * Stages a case with both versions. Table visits are only traced if the results differ.
 * @param ignored outputs to leave out, such as those that name the version
 * @throws EngineError like `stage`
 */
export function caseDifference(
  before: CompiledVersion,
  after: CompiledVersion,
  input: InputMap,
  ignored: ReadonlySet<string>,
): CaseDifference {
  const answers = [stage(before, input), stage(after, input)].map((data) => compared(data, ignored))
  const changes = [...memberDifference(answers[0], answers[1])]
  if (changes.length === 0) return { changed: false }
  const [own = [], other = []] = [before, after].map(
    (version) => stage(version, input, { explain: true }).explain,
  )
  return { changed: true, changes, why: { before: apart(own, other), after: apart(other, own) } }
}

function compared(
  { result, schema_id, output, errors }: StagingData,
  ignored: ReadonlySet<string>,
) {
  const kept = Object.entries(output).filter(([key]) => !ignored.has(key))
  return { result, schema_id, output: Object.fromEntries(kept), errors }
}

/** Returns the visits that have no equal visit among the others. Row numbers are ignored. */
function apart(visits: readonly Visit[], others: readonly Visit[]): Visit[] {
  const known = new Set(others.map(textOf))
  return visits.filter((visit) => !known.has(textOf(visit)))
}

/** Returns a text for comparing two visits. It differs between visits with and without a matching row. */
const textOf = ({ row, ...visit }: Visit) => JSON.stringify([row === undefined, visit])
