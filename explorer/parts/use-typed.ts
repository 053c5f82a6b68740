import { useEffect, useState } from 'preact/hooks'

interface Typed {
  readonly value: string
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void
  readonly onChange: (event: { readonly currentTarget: HTMLInputElement }) => void
}

/**
 * Returns the props of a text field that keeps its text when the page is rendered again. `take` is called with
 * the text when the user has finished typing.
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
