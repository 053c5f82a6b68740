import type { Service } from '../service/service.ts'
import { useLoaded } from '../service/use-answer.ts'
import { Asked } from './asked.ts'
import type { Group } from './group.ts'

/** Maximum number of hits per search. */
const PAGE = 10_000

interface Ids {
  readonly data: {
    readonly hits: readonly { readonly case_id: string }[]
    readonly pagination: { readonly total: number }
  }
}

/** Loads the ids of the cases of each group, in the order of the groups. */
export const useMembers = (groups: readonly Group[]) => useLoaded(groups, membersOf)

/**
 * Returns the ids of the cases of each group.
 * @throws ServiceError
 */
async function membersOf(
  service: Service,
  groups: readonly Group[],
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const asked = new Asked(service, signal)
  return Promise.all(
    groups.map(async ({ filter }) => {
      const ids: string[] = []
      for (let from = 0; ; from += PAGE) {
        const { data } = await asked.ask<Ids>({
          path: '/cases',
          query: { fields: 'case_id', size: PAGE, from },
          filters: filter,
        })
        ids.push(...data.hits.map(({ case_id }) => case_id))
        if (from + PAGE >= data.pagination.total) return ids
      }
    }),
  )
}
