import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Address } from './address.ts'

/** Where the person is, and the way to elsewhere. */
export interface Place {
  readonly address: Address
  /**
   * Goes there: a step that the back button undoes, unless it takes the place of this one. A function
   * makes the next address of the newest, which may be one that is not shown yet.
   */
  go(next: Address | ((now: Address) => Address), how?: { readonly replaces?: boolean }): void
}

export const PlaceContext = createContext<Place | undefined>(undefined)

export function usePlace(): Place {
  const place = useContext(PlaceContext)
  if (place === undefined) throw new Error('no address stands above this part of the page')
  return place
}
