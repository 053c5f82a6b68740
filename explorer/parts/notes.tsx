import type { ComponentChildren } from 'preact'

/** Shows why something is not available, with the service's message if there is one. */
export function ErrorNote({ text }: { readonly text: string }) {
  return (
    <p class="note error" role="alert">
      {text}
    </p>
  )
}

export function LoadingNote() {
  return (
    <p class="note" role="status">
      Loading …
    </p>
  )
}

/** Shows that there are no data, and how to get some. */
export function EmptyNote({ children }: { readonly children: ComponentChildren }) {
  return <p class="note">{children}</p>
}
