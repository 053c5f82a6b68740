import { z } from '@hono/zod-openapi'
import type { BlocksPart, BlocksRequest } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { texts } from '../http/texts.ts'

// Query of /blocks: exact reference names, as in htsget, and 0-based half-open intervals. A ticket contains one
// such URL for each group of regions that fits.

export const blocksQuery = z.object({
  region: texts(
    '`NAME:START-END,START-END`, 0-based, half-open, an open end left out; `*`: no place',
  ),
  floor: z.string().optional().describe('Records of the first reference before this are left out'),
})

/** Maximum length of a query. Common proxies reject longer request lines (nginx: 8 KiB). */
const MAX_QUERY_BYTES = 6000
const UNPLACED = '*'

/** Returns the queries whose responses, joined in order, are the part. */
export function blocksQueries({ regions, unplaced }: BlocksPart): readonly string[] {
  const queries: string[] = []
  let query = ''
  let before: BlocksPart['regions'][number] | undefined
  for (const region of regions) {
    const { reference, start, end } = region
    const interval = `${start}-${Number.isFinite(end) ? end : ''}`
    const named = `region=${encodeURIComponent(reference)}:${interval}`
    const isSame = before?.reference === reference
    const more = query === '' ? '' : isSame ? `,${interval}` : `&${named}`
    if (more !== '' && query.length + more.length <= MAX_QUERY_BYTES) query += more
    else {
      if (query !== '') queries.push(query)
      query = isSame ? `floor=${before?.end}&${named}` : named
    }
    before = region
  }
  if (unplaced) query += `${query === '' ? '' : '&'}region=${UNPLACED}`
  return query === '' ? queries : [...queries, query]
}

/**
 * Parses a query of /blocks.
 * @throws EngineError `bad_region`, `bad_input`
 */
export function readBlocksQuery({ region, floor }: z.output<typeof blocksQuery>): BlocksRequest {
  if (floor !== undefined && !/^\d{1,15}$/.test(floor)) {
    const message = `floor ${shown(floor)} is no position; give a whole number from 0 on`
    throw new EngineError('bad_input', message, { at: 'floor' })
  }
  return {
    regions: region.flatMap((text, i) =>
      text === UNPLACED ? [] : readRegion(text, `region[${i}]`),
    ),
    unplaced: region.includes(UNPLACED),
    floor: floor === undefined ? undefined : Number(floor),
  }
}

function readRegion(text: string, at: string): BlocksRequest['regions'] {
  const colon = text.lastIndexOf(':')
  const reference = text.slice(0, Math.max(0, colon))
  return text
    .slice(colon + 1)
    .split(',')
    .map((interval) => {
      const [, from, to = ''] = /^(\d{1,15})-(\d{1,15})?$/.exec(interval) ?? []
      const start = Number(from)
      const end = to === '' ? Infinity : Number(to)
      if (from !== undefined && reference !== '' && start < end) return { reference, start, end }
      const message = `region ${shown(text)} is malformed; use NAME:START-END, 0-based and half-open, or *`
      throw new EngineError('bad_region', message, { at })
    })
}

const shown = (text: string) => JSON.stringify(text.slice(0, 80))
