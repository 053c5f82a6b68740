import { useEffect, useState } from 'preact/hooks'

interface Typed {
  readonly value: string
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void
  readonly onChange: (event: { readonly currentTarget: HTMLInputElement }) => void
}

/**
 * What a text field is given, so that it keeps what is being typed while answers come and the page is
 * drawn again. `take` is called with what was typed, when it is complete.
 */
export function useTyped(value: string, take: (text: string) => void): Typed {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return {
    value: text,
    onInput: ({ currentTarget }) => setText(currentTarget.value),
    onChange: ({ currentTarget }) => take(currentTarget.value),
  }
}
