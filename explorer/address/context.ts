import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Address, Query, QueryChanges } from './address.ts'

interface Step {
  /** Whether to replace the current history entry, so that the back button skips this step. */
  readonly replaces?: boolean
}

/**
 * The current address and functions to change it. A new address is derived from the latest one, because after
 * fast clicks the page may still show an older address.
 */
export interface Place {
  readonly address: Address
  /** Navigates to another address. The back button returns from it. */
  go(next: (now: Address) => Address, step?: Step): void
  /** Changes parameters of this page. Does nothing if the user has left the page. */
  change(changes: QueryChanges | ((now: Query) => QueryChanges), step?: Step): void
}

export const PlaceContext = createContext<Place | undefined>(undefined)

/**
 * Returns the current address and functions to change it.
 * @throws Error outside of PlaceContext
 */
export function usePlace(): Place {
  const place = useContext(PlaceContext)
  if (place === undefined) throw new Error('no address stands above this part of the page')
  return place
}
