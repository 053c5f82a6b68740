import { DEMO_TUMOURS } from '../../../fixtures/demo.ts'
import { DEMO_EXPRESSION, DEMO_FILES } from '../../../fixtures/demo-commons.ts'
import { DEMO_DOWNLOADS } from '../../../fixtures/downloads.ts'
import { DEMO_REGISTRY_FILE } from '../../../fixtures/naaccr/items.ts'
import { DEMO_CASE, DEMO_STAGING } from '../../../fixtures/staging/algorithm.ts'
import type { Question } from './client.ts'

/** What readers need: a token of the controlled files, and a key of the registry. */
interface ReadSecrets {
  readonly token: string
  readonly key: string
}

const JSON_BODY = { 'Content-Type': 'application/json' }
const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  method: 'POST',
  path,
  headers: { ...JSON_BODY, ...headers },
  body: JSON.stringify(body),
})

/** Requests that versions since 2385aa9b answer alike. Secrets differ between the cluster and the single node. */
export function questionsOfAll({ token, key }: ReadSecrets): readonly Question[] {
  const [open, controlled] = DEMO_FILES
  const [download] = DEMO_DOWNLOADS
  return [
    { path: '/files?facets=data_type,cases.primary_site&size=5&sort=file_id' },
    { path: '/cases?fields=submitter_id,primary_site&format=tsv&size=500&sort=case_id' },
    { path: `/data/${download?.id}` },
    { path: `/data/${DEMO_DOWNLOADS.slice(0, 3).map(({ id }) => id)}?tarfile` },
    { path: `/slicing/view/${open.id}?region=chr17:7661779-7687550` },
    { path: `/slicing/view/${open.id}?region=chr1` },
    post(`/slicing/view/${controlled.id}`, { geneannot: ['TP53'] }, { 'X-Auth-Token': token }),
    { path: `/data/${controlled.id}`, headers: { 'X-Auth-Token': token } },
    post('/gene_expression/values', {
      case_ids: DEMO_EXPRESSION.caseIds,
      gene_ids: DEMO_EXPRESSION.geneIds,
      tsv_units: 'uqfpkm',
    }),
    { path: '/analysis/survival' },
    post(`/rest/staging/${DEMO_STAGING.algorithm}/${DEMO_STAGING.version}/stage`, DEMO_CASE, {
      'X-SEERAPI-Key': key,
    }),
    post('/rest/mph', DEMO_TUMOURS, { 'X-SEERAPI-Key': key }),
    { path: `/slicing/view/${open.id}?region=chr17:7661779-7687550`, how: 'resumed' },
    { path: `/data/${download?.id}`, how: 'resumed' },
    { path: `/reads/${open.id}?referenceName=chr17&start=7661778&end=7687550`, how: 'ticket' },
    {
      path: `/reads/${controlled.id}?referenceName=chr17&start=7661778&end=7687550`,
      headers: { Authorization: `Bearer ${token}` },
      how: 'ticket',
    },
  ]
}

/** The requests of each kind. */
export function questions(secrets: ReadSecrets): readonly Question[] {
  const { key } = secrets
  return [
    ...questionsOfAll(secrets),
    post('/graphql', {
      query: `query ($f: FiltersArgument) { explore {
        cases { hits(filters: $f, first: 20, sort: [{ field: "case_id", order: asc }]) {
          total edges { node { case_id primary_site demographic { gender } } } } }
        ssms { aggregations { consequence__transcript__gene__symbol { buckets { key doc_count } } } } } }`,
      variables: { f: { op: 'in', content: { field: 'cases.primary_site', value: ['brain'] } } },
    }),
    {
      method: 'POST',
      path: `/rest/naaccr/process?algorithm=${DEMO_STAGING.algorithm}&version=${DEMO_STAGING.version}`,
      headers: { 'X-SEERAPI-Key': key, 'Content-Type': 'application/xml' },
      body: DEMO_REGISTRY_FILE,
    },
  ]
}
