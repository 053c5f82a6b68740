import type { StoredCode } from '../repository.ts'
import { LISTING_KINDS, type ListingKind } from './layouts.ts'
import type { NdcProduct, ProductContent, RegistryPart } from './product.ts'

/** Content of the tables of one kind for a product. */
interface Listing {
  /** Whether the newest tables still list the product. */
  readonly listed: boolean
  readonly content: ProductContent
}

type Listings = Readonly<Partial<Record<ListingKind, Listing>>>

/** Returns the product's entries in the published tables. */
export function listingsOf({ listings }: Pick<StoredCode, 'listings'>): Listings {
  return JSON.parse(listings) as Listings
}

export function isListed(listings: Listings): boolean {
  return LISTING_KINDS.some((kind) => listings[kind]?.listed)
}

/**
 * Returns the published content of a product. If tables of both kinds list the code, the finished product
 * counts, whichever was imported last. A product that is no longer listed keeps its last content.
 */
export function contentOf(listings: Listings): ProductContent {
  const known = LISTING_KINDS.flatMap((kind) => listings[kind] ?? [])
  return (known.find(({ listed }) => listed) ?? known[0])?.content ?? {}
}

/** Returns the members that the registry itself has set on a product. */
export function registryPartOf({ own }: Pick<StoredCode, 'own'>): RegistryPart | undefined {
  return own === null ? undefined : (JSON.parse(own) as RegistryPart)
}

/** Converts a stored record to the product that is returned to clients. */
export function productOf(stored: Omit<StoredCode, 'revision'>, score?: number): NdcProduct {
  const { code, dateAdded, dateModified, dateRemoved } = stored
  const seer = registryPartOf(stored)
  return {
    ndc: code,
    ...contentOf(listingsOf(stored)),
    ...(seer && { seer }),
    date_added: dateAdded,
    date_modified: dateModified,
    ...(dateRemoved !== null && { date_removed: dateRemoved }),
    ...(score !== undefined && { score }),
  }
}
