import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Address, Query, QueryChanges } from './address.ts'

interface Step {
  /** The step takes the place of the one before, so that the back button does not undo it alone. */
  readonly replaces?: boolean
}

/**
 * Where the person is, and the way to elsewhere. What a page shows may be a moment behind when somebody
 * is fast: each next address is made of the newest, not of the one that is shown.
 */
export interface Place {
  readonly address: Address
  /** Goes elsewhere: a step that the back button undoes. The address that it is given goes nowhere. */
  go(next: (now: Address) => Address, step?: Step): void
  /** Changes what this page asks. Once the person is on another page, nothing is changed. */
  change(changes: QueryChanges | ((now: Query) => QueryChanges), step?: Step): void
}

export const PlaceContext = createContext<Place | undefined>(undefined)

export function usePlace(): Place {
  const place = useContext(PlaceContext)
  if (place === undefined) throw new Error('no address stands above this part of the page')
  return place
}
