import type { ComponentChildren } from 'preact'

/** Says why something is not shown, in the service's words where it has any. */
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

/** Says that there is nothing, and what would bring something. */
export function EmptyNote({ children }: { readonly children: ComponentChildren }) {
  return <p class="note">{children}</p>
}
