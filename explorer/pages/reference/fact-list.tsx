import { fieldName } from '../../cohort/words.ts'

/** Matches technical fields that are of no interest to people. */
const IS_TECHNICAL = /^(fingerprint|id|version|score)$/

/** Shows an entry as names and values. Nested lists are shown as JSON. */
export function FactList({ facts }: { readonly facts: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="facts">
      {Object.entries(facts)
        .filter(([name]) => !IS_TECHNICAL.test(name))
        .map(([name, value]) => (
          <div key={name}>
            <dt>{fieldName(name)}</dt>
            <dd>{textOf(value)}</dd>
          </div>
        ))}
    </dl>
  )
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('; ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
