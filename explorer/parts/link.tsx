import type { ComponentChildren } from 'preact'
import { type Address, formatAddress } from '../address/address.ts'
import { usePlace } from '../address/context.ts'

interface LinkProps {
  readonly to: Address
  readonly children: ComponentChildren
  readonly class?: string | undefined
  readonly current?: boolean
}

/** Whether a click opens a link in another tab or window. */
export const isForBrowser = (event: MouseEvent): boolean =>
  event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey

/** A link within the explorer. Like any link, it can be opened in another tab or copied. */
export function Link({ to, children, class: className, current = false }: LinkProps) {
  const { go } = usePlace()
  const follow = (event: MouseEvent) => {
    if (isForBrowser(event)) return
    event.preventDefault()
    go(() => to)
  }
  return (
    <a
      href={formatAddress(to)}
      onClick={follow}
      class={className}
      aria-current={current ? 'page' : undefined}
    >
      {children}
    </a>
  )
}
