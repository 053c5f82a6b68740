import { activeCohort } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { type Answer, useLoaded } from '../service/use-answer.ts'
import type { Grouping } from './group.ts'
import { type Given, resolveGroups } from './resolve.ts'
import { splitOf } from './split.ts'

/** Loads the groups of the address, which are the same on all pages. */
export function useGroups(): Answer<Grouping> {
  const { address } = usePlace()
  const { cohorts, query } = address
  const split = splitOf(address)
  const given: Given = {
    split,
    cohorts: split.by === 'cohorts' ? cohorts : [],
    active: activeCohort(address),
    isParted: query.get('shared') === 'out',
  }
  return useLoaded(given, resolveGroups)
}
