import { afterAll, describe, expect, test } from 'vitest'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import { countedFields } from '../../../engine/commons/graphql/counted-fields.ts'
import { PLACES, type Place } from '../../../engine/commons/graphql/places.ts'
import { isNumberType } from '../../../engine/commons/release/fold.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { depth } from '../../depth.ts'
import { type Flavour, randomDocuments } from '../search/random-documents.ts'
import { Requests } from '../search/random-requests.ts'
import { relatedDocuments, relatedView } from '../search/related-documents.ts'
import { shrunk } from '../search/shrink.ts'
import type { Asked } from '../search/simple-evaluator.ts'
import { MadePortal } from './support/made-portal.ts'

// Random filters, cohorts, facets, counts, orders and pages by GraphQL are what REST answers to the same question,
// which an evaluator written apart agrees with (../search/oracle.ci.test.ts). Other seeds: GRAPHQL_SEED=7.
const SEED = Number(process.env.GRAPHQL_SEED ?? 1)
const perPlace = depth(8, 130, 1000)

const FLAVOURS: Readonly<Record<string, Flavour>> = {
  dense: { records: [24, 40], elements: 2, fieldsPerGroup: 4, absent: 0.1 },
  sparse: { records: [20, 34], elements: 3, fieldsPerGroup: 5, absent: 0.6 },
}

/** Turns statistics of no values into null except the count (portal.md 4.4), where REST has a sum of 0. */
function asStats(part: unknown): unknown {
  const { stats } = (part ?? {}) as { readonly stats?: { readonly count: number } }
  return stats?.count === 0 ? { stats: { ...stats, sum: null } } : part
}

/** An answer in a form common to both interfaces. */
interface Found {
  readonly total: number
  readonly ids: readonly string[]
  /** Facets by the requested name, as in REST. */
  readonly facets: Readonly<Record<string, unknown>>
  readonly histograms: Readonly<Record<string, Counts>>
}

type Counts = Readonly<Record<string, number>>
/** A request whose `cohort` is a filter of cases. */
type AskedOfCohort = Asked & { readonly cohort?: unknown }

interface Bucket {
  readonly key: string
  readonly doc_count: number
}

const portals: MadePortal[] = []
afterAll(() => Promise.all(portals.map((portal) => portal[Symbol.asyncDispose]())))

describe.each(Object.entries(FLAVOURS))('a %s release', (title, flavour) => {
  const number = Object.keys(FLAVOURS).indexOf(title)
  const documents = randomDocuments(randomFrom(SEED, number), flavour)
  let opened: Promise<MadePortal> | undefined
  const portalOf = async () => {
    opened ??= MadePortal.of(documents)
    const portal = await opened
    if (!portals.includes(portal)) portals.push(portal)
    return portal
  }
  const requestsTo = (name: Place['dataset'], stream: number) =>
    new Requests(
      randomFrom(SEED, number, stream),
      relatedView(name),
      relatedDocuments(documents, name),
    )

  test.each(PLACES.map((place, i) => [place.path.join('.'), place, i] as const))(
    `${perPlace} requests to %s are answered alike`,
    async (_, place, i) => {
      const portal = await portalOf()
      const requests = requestsTo(place.dataset, i)
      const cohorts = requestsTo('cases', PLACES.length + i)
      const random = randomFrom(SEED, number, 2 * PLACES.length + i)
      for (let count = 0; count < perPlace; count++) {
        const cohort = random.chance(0.4) ? cohorts.next().filters : undefined
        await mustAgree(portal, place, { ...requests.next(), cohort })
      }
    },
  )
})

async function mustAgree(portal: MadePortal, place: Place, asked: AskedOfCohort): Promise<void> {
  const both = (one: AskedOfCohort) =>
    Promise.all([byRest(portal, place, one), byGraph(portal, place, one)])
  const differs = async (one: Asked) => {
    const [rest, graph] = await both(one)
    return JSON.stringify(rest) !== JSON.stringify(graph)
  }
  if (!(await differs(asked))) return
  const smallest = await shrunk(asked, differs)
  const [rest, graph] = await both(smallest)
  const request = JSON.stringify(smallest)
  expect({ request, answered: graph }).toEqual({ request, answered: rest })
  expect.fail(`the order of keys differs: ${request}`)
}

/**
 * The questions about a dataset in both interfaces: GraphQL has only the names of its schema, and no histograms
 * of dates.
 */
function questionsOf(place: Place, { facets = [], histograms = [] }: Asked) {
  const own = `${place.dataset}.`
  const counted = countedFields(place)
  const fieldOf = (name: string) => {
    const bare = name.startsWith(own) ? name.slice(own.length) : name
    const field = counted.get(bare.replaceAll('.', '__'))
    return field && { member: bare.replaceAll('.', '__'), type: field.type }
  }
  const fields = facets.flatMap((name, i) => {
    const field = fieldOf(name)
    return field ? [{ name, as: `f${i}`, ...field }] : []
  })
  const bars = histograms.flatMap((text, i) => {
    const [name = '', interval = ''] = text.split(':')
    const field = fieldOf(name)
    return field && Number(interval) > 0 ? [{ name, text, interval, as: `h${i}`, ...field }] : []
  })
  return { fields, bars }
}

async function byRest(portal: MadePortal, place: Place, asked: AskedOfCohort) {
  const { dataset } = place
  const { idField } = DATASETS[dataset]
  const { filters, cohort, facets = [], sort = [], from, size } = asked
  const { bars } = questionsOf(place, asked)
  const { status, body } = await portal.posted(`/${dataset}`, {
    ...{ filters, case_filters: cohort, fields: idField, from, size },
    ...{ facets: facets.join(), histograms: bars.map(({ text }) => text).join() },
    sort: sort.join(),
  })
  if (status !== 200) return `status ${status}`
  const { pagination, hits, aggregations = {} } = body.data
  const found: Found = {
    total: pagination.total,
    ids: hits.map((hit: Record<string, string>) => hit[idField]),
    facets: Object.fromEntries(facets.map((name) => [name, shown(aggregations[name])])),
    histograms: Object.fromEntries(
      bars.map(({ name, text }) => [text, countsOf(aggregations[name].histogram.buckets)]),
    ),
  }
  return found
}

async function byGraph(portal: MadePortal, place: Place, asked: AskedOfCohort) {
  const { idField } = DATASETS[place.dataset]
  const { filters, cohort, facets = [], sort = [], from, size } = asked
  const { fields, bars } = questionsOf(place, asked)
  const members = [
    ...fields.map(({ as, member, type }) => {
      const parts = isNumberType(type)
        ? 'stats { count min max avg sum }'
        : 'buckets { doc_count key }'
      return `${as}: ${member} { ${parts} }`
    }),
    ...bars.map(
      ({ as, member, interval }) =>
        `${as}: ${member} { histogram(interval: ${interval}) { buckets { doc_count key } } }`,
    ),
  ]
  const of = 'filters: $f, case_filters: $c'
  const inner = `hits(${of}, first: $first, offset: $from, sort: $sort) { total edges { node { ${idField} } } }
    ${members.length > 0 ? `aggregations(${of}, aggregations_filter_themselves: false) { ${members.join(' ')} }` : ''}
    facets(${of}, facets: $facets)`
  const query = `query ($f: FiltersArgument, $c: FiltersArgument, $first: Int, $from: Int, $sort: [Sort], $facets: [String]!) ${place.path.reduceRight((text, name) => `{ ${name} ${text} }`, `{ ${inner} }`)}`
  const orders = sort.map((one) => {
    const [field, order = 'asc'] = one.split(':')
    return { field, order: order.toLowerCase() }
  })
  const variables = { f: filters, c: cohort, first: size, from, sort: orders, facets }
  const { status, body } = await portal.posted('/graphql', { query, variables })
  if (status !== 200) return `status ${status}`
  const data = place.path.reduce((inside, name) => inside[name], body.data)
  const text: Found['facets'] = JSON.parse(data.facets)
  for (const { name, as, type } of fields) {
    // Booleans have keys and empty buckets of their own (portal.md 4.3).
    if (type !== 'boolean')
      expect([name, data.aggregations[as]]).toEqual([name, asStats(text[name])])
  }
  const found: Found = {
    total: data.hits.total,
    ids: data.hits.edges.map(({ node }: { node: Record<string, string> }) => node[idField]),
    facets: Object.fromEntries(facets.map((name) => [name, text[name]])),
    histograms: Object.fromEntries(
      bars.map(({ text: bar, as }) => [bar, countsOf(data.aggregations[as].histogram.buckets)]),
    ),
  }
  return found
}

/** Omits the histogram that REST adds to the values of the same field. */
const shown = ({ buckets, stats }: { buckets?: unknown; stats?: unknown }) => ({
  ...(buckets !== undefined && { buckets }),
  ...(stats !== undefined && { stats }),
})

/** Counts by the numeric lower bound, without missing values, which REST lists in a separate bucket. */
const countsOf = (buckets: readonly Bucket[]): Counts =>
  Object.fromEntries(
    buckets
      .filter(({ key, doc_count: count }) => count > 0 && !Number.isNaN(Number(key)))
      .map(({ key, doc_count: count }) => [String(Number(key)), count] as const),
  )
