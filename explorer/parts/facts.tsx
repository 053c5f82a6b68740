import type { ComponentChildren } from 'preact'

interface FactsProps {
  /** Names and values. Facts whose value is undefined or empty are left out. */
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[]
}

/** Shows what is known of a record as names and values. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl class="facts wide-facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
