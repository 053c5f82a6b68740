import { useId } from 'preact/hooks'
import { useTyped } from './use-typed.ts'

interface TypedProps {
  readonly label: string
  readonly value: string
  readonly take: (text: string) => void
  /** Id of a list of words that are offered. */
  readonly list?: string
}

/** Text field with a label, whose text is taken when the user has finished typing. */
export function Typed({ label, value, take, list }: TypedProps) {
  const id = useId()
  const typed = useTyped(value, take)
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      {list === undefined ? (
        <input id={id} {...typed} />
      ) : (
        <input id={id} type="text" list={list} {...typed} />
      )}
    </div>
  )
}
