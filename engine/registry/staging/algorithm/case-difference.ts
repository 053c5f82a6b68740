import type { CompiledVersion } from './compiled-version.ts'
import { type MemberChange, memberDifference } from './member-difference.ts'
import type { InputMap, StagingData, Visit } from './result.ts'
import { stage } from './stage.ts'

/** What becomes of one case by two versions of an algorithm. */
export type CaseDifference =
  | { readonly changed: false }
  | {
      readonly changed: true
      /** In `result`, `schema_id`, `output` and `errors`. */
      readonly changes: readonly MemberChange[]
      /** Looks at tables that are answered by one version alone, as it asks and answers them. */
      readonly why: { readonly before: readonly Visit[]; readonly after: readonly Visit[] }
    }

/**
 * Stages a case by both versions. Looks are traced only where the answers differ.
 * @param ignored outputs that do not count, such as those that name the version
 * @throws EngineError as `stage`
 */
export function caseDifference(
  before: CompiledVersion,
  after: CompiledVersion,
  input: InputMap,
  ignored: ReadonlySet<string>,
): CaseDifference {
  const answers = [stage(before, input), stage(after, input)].map((data) => judged(data, ignored))
  const changes = [...memberDifference(answers[0], answers[1])]
  if (changes.length === 0) return { changed: false }
  const [own = [], other = []] = [before, after].map(
    (version) => stage(version, input, { explain: true }).explain,
  )
  return { changed: true, changes, why: { before: apart(own, other), after: apart(other, own) } }
}

function judged({ result, schema_id, output, errors }: StagingData, ignored: ReadonlySet<string>) {
  const kept = Object.entries(output).filter(([key]) => !ignored.has(key))
  return { result, schema_id, output: Object.fromEntries(kept), errors }
}

/** Those that are not among others, wherever their row is. */
function apart(visits: readonly Visit[], others: readonly Visit[]): Visit[] {
  const known = new Set(others.map(textOf))
  return visits.filter((visit) => !known.has(textOf(visit)))
}

/** A look that found a row is another one than a look that found none. */
const textOf = ({ row, ...visit }: Visit) => JSON.stringify([row === undefined, visit])
