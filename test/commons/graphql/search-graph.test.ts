import { buildClientSchema, getIntrospectionQuery, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '../../../engine/index.ts'
import { type MadePortal, PORTALS, within } from './support/made-portal.ts'

// The expected answer to each question is that of REST.

describe.each(PORTALS)('over %s', (_, isThere, open) => {
  describe.skipIf(!isThere)('all checks', () => {
    let portal: MadePortal
    let engine: Engine

    beforeAll(async () => {
      portal = await open()
      engine = portal.engine
    })
    afterAll(() => portal[Symbol.asyncDispose]())

    const posted = (path: string, body: unknown) => portal.posted(path, body)
    const ask = (query: string, variables?: object, path?: string) =>
      portal.ask(query, variables, path)
    const rest = (path: string, body: object) => portal.rest(path, body)
    const totalOf = (path: string, body?: object) => portal.total(path, body)

    const COUNTS = `query ($f: FiltersArgument) {
  viewer {
    repository { files { hits(case_filters: $f, first: 0) { total } } }
    explore {
      cases { hits(case_filters: $f, first: 0) { total } }
      genes { hits(case_filters: $f, first: 0) { total } }
      ssms { hits(case_filters: $f, first: 0) { total } }
    }
  }
}`

    describe('counts', () => {
      test('of a cohort are the totals of REST', async () => {
        const [first] = (await rest('/cases', { size: 0, facets: 'primary_site' })).aggregations
          .primary_site.buckets
        for (const filters of [{}, within('cases.primary_site', first.key)]) {
          const { viewer } = await ask(COUNTS, { f: filters })
          const body = { case_filters: filters }
          expect(viewer.repository.files.hits.total).toBe(await totalOf('/files', body))
          expect(viewer.explore.cases.hits.total).toBe(await totalOf('/cases', body))
          expect(viewer.explore.genes.hits.total).toBe(await totalOf('/genes', body))
          expect(viewer.explore.ssms.hits.total).toBe(await totalOf('/ssms', body))
        }
      })

      test('are the same at the root, below the viewer and at any word', async () => {
        const query = 'explore { cases { hits(first: 0) { total } } }'
        const direct = await ask(`{ ${query} }`)
        expect((await ask(`{ viewer { ${query} } }`)).viewer).toEqual(direct)
        expect(await ask(`{ ${query} }`, {}, '/v0/graphql/word?hash=1')).toEqual(direct)
      })
    })

    describe('filters that name a set', () => {
      test('find its members in lists, facets, carts and scores, as their ids do', async () => {
        const chosen = within('cases.primary_site', 'breast', 'brain')
        const { hits } = await rest('/cases', { filters: chosen, size: 10_000, fields: 'case_id' })
        const ids = hits.map(({ case_id }: { case_id: string }) => case_id)
        expect(ids.length).toBeGreaterThan(1)
        const { id } = await engine.commons.sets.create({
          ...{ type: 'case', filters: chosen, client: 'test' },
        })
        const query = `query ($f: FiltersArgument) {
      repository { files { hits(case_filters: $f, first: 0) { total } } }
      explore {
        cases { hits(filters: $f, first: 0) { total }
          aggregations(filters: $f) { primary_site { buckets { doc_count key } } } }
        genes { hits(case_filters: $f, first: 5, score: "case.project.project_id") { total edges { node { gene_id } } } }
        ssms { hits(case_filters: $f, first: 5) { total edges { node { ssm_id } } } }
      } }`
        const bySet = await ask(query, { f: within('cases.case_id', `set_id:${id}`) })
        expect(bySet).toEqual(await ask(query, { f: within('cases.case_id', ...ids) }))
        expect(bySet.explore.cases.hits.total).toBe(ids.length)
        expect(
          await totalOf('/files', { case_filters: within('cases.case_id', `set_id:${id}`) }),
        ).toBe(bySet.repository.files.hits.total)
      })
    })

    // The consequences of mutations contain ids of genes, but are not records of genes.
    test('a set of genes finds their mutations, and the consequences in them', async () => {
      const { hits } = await rest('/analysis/top_mutated_genes_by_project', {
        ...{ fields: 'gene_id', size: 2 },
      })
      const ids = hits.map(({ gene_id }: { gene_id: string }) => gene_id)
      const filters = within('genes.gene_id', ...ids)
      const { id } = await engine.commons.sets.create({ type: 'gene', filters, client: 'test' })
      const query = `query ($f: FiltersArgument, $k: FiltersArgument) { explore { ssms {
        hits(filters: $f, first: 20, score: "occurrence.case.project.project_id") { total edges { node { ssm_id score
          consequence { hits(filters: $k) { total edges { node { transcript { gene { gene_id } } } } } } } } }
        aggregations(filters: $f) { mutation_subtype { buckets { doc_count key } } } } } }`
      const of = (...value: readonly string[]) =>
        ask(query, {
          f: within('genes.gene_id', ...value),
          k: within('consequence.transcript.gene.gene_id', ...value),
        })
      const found = await of(`set_id:${id}`)
      expect(found).toEqual(await of(...ids))
      expect(found.explore.ssms.hits.edges[0].node.consequence.hits.total).toBeGreaterThan(0)
      expect(await of(`set_id:${id}`, ids[0])).toEqual(found)
    })

    test('a set that changes is another set to the same document, however its value is written', async () => {
      const { sets } = engine.commons
      const [one, other] = (await rest('/cases', { size: 2, fields: 'case_id' })).hits
      const filters = within('cases.case_id', one.case_id)
      const { id } = await sets.create({ type: 'case', filters, client: 'test' })
      const query = `{ explore { cases { hits(first: 0, filters: "{\\"op\\":\\"in\\",\\"content\\":{\\"field\\":\\"cases.case_id\\",\\"value\\":[\\"\\u0073et_id:${id}\\"]}}") { total } } } }`
      expect((await ask(query)).explore.cases.hits.total).toBe(1)
      await sets.append(id, { filters: within('cases.case_id', other.case_id) })
      expect((await ask(query)).explore.cases.hits.total).toBe(2)
    })

    describe('aggregations', () => {
      test('are the facets of REST, under the names that are asked for', async () => {
        const { explore } =
          await ask(`{ explore { cases { aggregations(aggregations_filter_themselves: false) {
      cases__primary_site: primary_site { buckets { doc_count, key } }
      gender: demographic__gender { buckets { key doc_count } } } } } }`)
        const { aggregations } = await rest('/cases', {
          size: 0,
          facets: 'primary_site,demographic.gender',
        })
        expect(Object.keys(explore.cases.aggregations)).toEqual(['cases__primary_site', 'gender'])
        expect(explore.cases.aggregations.cases__primary_site).toEqual(aggregations.primary_site)
        expect(explore.cases.aggregations.gender).toEqual(aggregations['demographic.gender'])
      })

      test('keep conditions on their own field unless they are told not to', async () => {
        const facets = await rest('/cases', { size: 0, facets: 'primary_site' })
        const [{ key, doc_count }] = facets.aggregations.primary_site.buckets
        const query = (more: string) =>
          `query ($f: FiltersArgument) { explore { cases { aggregations(filters: $f ${more}) { primary_site { buckets { doc_count key } } } } } }`
        const f = within('cases.primary_site', key)
        const of = async (more: string) =>
          (await ask(query(more), { f })).explore.cases.aggregations.primary_site.buckets
        expect(await of('')).toEqual([{ doc_count, key }])
        expect(await of('aggregations_filter_themselves: true')).toEqual([{ doc_count, key }])
        expect(await of('aggregations_filter_themselves: false')).toEqual(
          facets.aggregations.primary_site.buckets,
        )
      })

      test('conditions on the cohort stay whatever is counted', async () => {
        const facets = await rest('/cases', { size: 0, facets: 'primary_site' })
        const [{ key, doc_count }] = facets.aggregations.primary_site.buckets
        const query = `query ($f: FiltersArgument) { explore { cases { aggregations(case_filters: $f, aggregations_filter_themselves: false) { primary_site { buckets { doc_count key } } } } } }`
        const { explore } = await ask(query, { f: within('cases.primary_site', key) })
        expect(explore.cases.aggregations.primary_site.buckets).toEqual([{ doc_count, key }])
      })

      test('of numbers have moments, quartiles, ranges and intervals', async () => {
        const r = {
          op: 'range',
          content: [
            {
              ranges: [
                { from: 0, to: 20000 },
                { from: 20000, to: 40000 },
              ],
            },
          ],
        }
        const { explore } = await ask(
          `query ($r: FiltersArgument) { explore { cases { aggregations { diagnoses__age_at_diagnosis {
        stats { Min: min Max: max Mean: avg SD: std_deviation count }
        percentiles { Median: median IQR: iqr q1: quartile_1 q3: quartile_3 }
        range(ranges: $r) { buckets { doc_count key } }
        histogram(interval: 3652.5) { buckets { doc_count key } } } } } } }`,
          { r },
        )
        const { stats, percentiles, range, histogram } =
          explore.cases.aggregations.diagnoses__age_at_diagnosis
        const { aggregations } = await rest('/cases', {
          size: 0,
          facets: 'diagnoses.age_at_diagnosis',
        })
        const own = aggregations['diagnoses.age_at_diagnosis'].stats
        expect(stats).toMatchObject({ Min: own.min, Max: own.max, count: own.count })
        expect(stats.Mean).toBeCloseTo(own.avg, 9)
        expect(percentiles.IQR).toBeCloseTo(percentiles.q3 - percentiles.q1, 9)
        expect(range.buckets.map(({ key }: { key: string }) => key)).toEqual([
          '0.0-20000.0',
          '20000.0-40000.0',
        ])
        const between = (from: number, to: number) => ({
          filters: {
            op: 'range',
            content: [{ field: 'diagnoses.age_at_diagnosis', ranges: [{ from, to }] }],
          },
        })
        expect(range.buckets[0].doc_count).toBe(await totalOf('/cases', between(0, 20000)))
        expect(range.buckets[1].doc_count).toBe(await totalOf('/cases', between(20000, 40000)))
        for (const { key } of histogram.buckets) expect(Number(key) % 3652.5).toBe(0)
      })

      test('of no values are null, and their number is 0', async () => {
        const { explore } = await ask(
          `query ($f: FiltersArgument) { explore { cases { aggregations(filters: $f) { diagnoses__age_at_diagnosis {
        stats { count min max avg sum sum_of_squares variance std_deviation std_deviation_bounds { upper lower } }
        percentiles { median iqr quartile_1 quartile_3 } } } } } }`,
          { f: within('cases.case_id', 'nobody') },
        )
        const { stats, percentiles } = explore.cases.aggregations.diagnoses__age_at_diagnosis
        const { count, std_deviation_bounds: bounds, ...others } = stats
        expect(count).toBe(0)
        expect(Object.values({ ...others, ...bounds, ...percentiles })).toEqual(
          Array(13).fill(null),
        )
      })

      test('facets are JSON in a string', async () => {
        const { explore } = await ask(
          '{ explore { cases { facets(facets: ["demographic.gender"]) } } }',
        )
        const { aggregations } = await rest('/cases', { size: 0, facets: 'demographic.gender' })
        expect(JSON.parse(explore.cases.facets)).toEqual(aggregations)
      })
    })

    describe('records', () => {
      test('of genes have scores and the cases that are counted by them', async () => {
        const observed = {
          op: 'not',
          content: { field: 'genes.case.ssm.observation.observation_id', value: 'MISSING' },
        }
        const { explore } = await ask(
          `query ($g: FiltersArgument) { explore { genes { hits(score: "case.project.project_id", first: 20) { total edges { node {
        id numCases: score symbol gene_id is_cancer_gene_census synonyms
        case { hits(first: 0, filters: $g) { total } } } } } } } }`,
          { g: observed },
        )
        const top = (await posted('/analysis/top_mutated_genes_by_project?size=20', {})).body.data
          .hits
        const nodes = explore.genes.hits.edges.map(
          ({ node }: { node: { gene_id: string } }) => node,
        )
        expect(explore.genes.hits.total).toBe(
          await totalOf('/analysis/top_mutated_genes_by_project'),
        )
        expect(top.length).toBeGreaterThan(0)
        for (const [i, { gene_id, _score: score }] of top.entries()) {
          expect(nodes[i]).toMatchObject({ gene_id, numCases: score })
          expect(nodes[i].case.hits.total).toBe(score)
        }
      })

      // Their score is 0 (portal.md 3.5).
      test('of genes that are changed by copy number alone are not listed with a score', async () => {
        const field = 'case.project.project_id'
        const { aggregations } = await rest('/ssm_occurrences', { size: 0, facets: field })
        const c = within('cases.project.project_id', aggregations[field].buckets[0].key)
        const score = 'score: "case.project.project_id", case_filters: $c'
        const { explore } = await ask(
          `query ($c: FiltersArgument) { explore { genes {
        all: hits(case_filters: $c, first: 0) { total }
        counted: hits(${score}, first: 0) { total }
        last: hits(${score}, first: 50000, sort: [{ field: "_score", order: asc }]) { total edges { node { score } } } } } }`,
          { c },
        )
        const { all: every, counted, last } = explore.genes
        const mutated = await totalOf('/analysis/top_mutated_genes_by_project', { case_filters: c })
        expect(every.total).toBe(await totalOf('/genes', { case_filters: c }))
        expect([counted.total, last.total, last.edges.length]).toEqual([mutated, mutated, mutated])
        expect(last.edges[0].node.score).toBeGreaterThan(0)
        expect(every.total > mutated).toBe((await totalOf('/cnvs')) > 0)
      })

      test('of mutations have their consequences pruned and their occurrences counted', async () => {
        const { explore } = await ask(
          `query ($k: FiltersArgument) { explore { ssms { hits(first: 5, score: "occurrence.case.project.project_id", sort: [{ field: "_score", order: desc }]) { edges { node {
        ssm_id score all: consequence { hits { total edges { node { id } } } }
        consequence { hits(first: 1, filters: $k) { edges { node { id transcript { is_canonical aa_change } } } } }
        occurrence { hits(first: 0) { total } } } } } } } }`,
          { k: within('consequence.transcript.is_canonical', 'true') },
        )
        expect(explore.ssms.hits.edges.length).toBe(5)
        for (const { node } of explore.ssms.hits.edges) {
          const filters = within('ssm.ssm_id', node.ssm_id)
          const occurrences = await totalOf('/ssm_occurrences', { filters })
          expect([node.score, node.occurrence.hits.total]).toEqual([occurrences, occurrences])
          const { consequence } = await rest(`/ssms/${node.ssm_id}?expand=consequence`, {})
          const ids = node.all.hits.edges.map((edge: { node: { id: string } }) => edge.node.id)
          expect(node.all.hits.total).toBe(consequence.length)
          expect(new Set(ids).size).toBe(consequence.length)
          for (const edge of node.consequence.hits.edges) {
            expect(edge.node.transcript.is_canonical).toBe(true)
          }
        }
      })

      test('of cases have as many of each level as REST shows', async () => {
        const { repository } =
          await ask(`{ repository { cases { hits(first: 3) { edges { node { case_id project { project_id }
      files { hits(first: 99) { total edges { node { file_id data_type } } } }
      samples { hits(first: 99) { total edges { node { sample_id portions { hits(first: 99) { total edges { node { portion_id
        analytes { hits { total edges { node { aliquots { hits { total edges { node { aliquot_id } } } } } } } } } } } } } } } } } } } } } }`)
        for (const { node } of repository.cases.hits.edges) {
          const own = await rest(
            `/cases/${node.case_id}?expand=project,files,samples,samples.portions,samples.portions.analytes,samples.portions.analytes.aliquots`,
            {},
          )
          expect(node.project.project_id).toBe(own.project.project_id)
          const idsOf = (list: readonly Record<string, string>[] | undefined, name: string) =>
            (list ?? []).map((one) => one[name])
          const nodesOf = (connection: { hits: { edges: { node: Record<string, string> }[] } }) =>
            connection.hits.edges.map((edge) => edge.node)
          expect(idsOf(nodesOf(node.samples), 'sample_id')).toEqual(idsOf(own.samples, 'sample_id'))
          expect(idsOf(nodesOf(node.files), 'file_id').toSorted()).toEqual(
            idsOf(own.files, 'file_id').toSorted(),
          )
        }
      })

      test('of a cart are summed up', async () => {
        const { cart_summary: cart } = await ask(
          '{ cart_summary { aggregations { fs { value } project__project_id { buckets { case_count doc_count file_size key } } } } }',
        )
        const { aggregations } = await rest('/files', {
          size: 0,
          facets: 'file_size,cases.project.project_id',
        })
        expect(cart.aggregations.fs.value).toBe(aggregations.file_size.stats.sum)
        const buckets = cart.aggregations.project__project_id.buckets
        expect(
          buckets.map(({ key, doc_count }: { key: string; doc_count: number }) => ({
            doc_count,
            key,
          })),
        ).toEqual(
          aggregations['cases.project.project_id'].buckets.filter(
            ({ key }: { key: string }) => key !== '_missing',
          ),
        )
      })
    })

    // scipy.stats.chi2_contingency([[10, 20], [20, 10]], correction=False).pvalue == 0.009823274507519249
    test('p values are those of a test without correction', async () => {
      const query = 'query ($d: [[Int]]!) { analysis { pvalue(data: $d) } }'
      expect(
        (
          await ask(query, {
            d: [
              [10, 20],
              [20, 10],
            ],
          })
        ).analysis.pvalue,
      ).toBeCloseTo(0.009823274507519249, 12)
      expect(
        (
          await ask(query, {
            d: [
              [1, 0],
              [0, 0],
            ],
          })
        ).analysis.pvalue,
      ).toBeNull()
    })

    test('the type of cases has its aggregations in second place', async () => {
      const { t } = await ask(
        '{ t: __type(name: "ExploreCases") { fields { name type { fields { name description type { name } } } } } }',
      )
      expect(t.fields[1].name).toBe('aggregations')
      const age = t.fields[1].type.fields.find(
        ({ name }: { name: string }) => name === 'diagnoses__age_at_diagnosis',
      )
      expect(age).toEqual({
        name: 'diagnoses__age_at_diagnosis',
        description: '',
        type: { name: 'NumericAggregations' },
      })
    })

    test('a client library finds the documents valid by the schema that is told', async () => {
      const schema = buildClientSchema(await ask(getIntrospectionQuery()))
      expect(validate(schema, parse(COUNTS))).toEqual([])
    })

    test.each([
      ['a syntax error', '{ explore { '],
      ['an unknown field', '{ explore { cases { nothing } } }'],
      ['an unknown argument', '{ explore { cases { hits(before: "x") { total } } } }'],
      ['a wrong filter', '{ explore { cases { hits(filters: {op: "in"}) { total } } } }'],
      [
        '10,000 aliases',
        `{ explore { cases { ${Array.from({ length: 10_000 }, (_, i) => `a${i}: aggregations { primary_site { buckets { key } } }`).join(' ')} } } }`,
      ],
    ])('%s is refused without data', async (_, query) => {
      const { status, body } = await posted('/v0/graphql', { query })
      expect(status).toBe(400)
      expect(body.data).toBeUndefined()
      expect(body.message).not.toBe('')
      expect(body.errors[0].message).toBe(body.message.slice(0, body.errors[0].message.length))
    })

    describe('little text that asks for much', () => {
      const several = (count: number, make: (i: number) => string) =>
        Array.from({ length: count }, (_, i) => make(i)).join(' ')
      const LONG =
        'the answer is longer than the limit of 33554432 bytes; request less in one document'

      test.each([
        [
          'buckets whose names are written thousands of times',
          `{ explore { cases { aggregations { ${several(20, (j) => `a${j}: submitter_id { buckets { ...many } }`)} } } } } fragment many on Bucket { ${several(450, (i) => `${'m'.repeat(200)}${i}: key`)} }`,
          LONG,
        ],
        [
          'a name that is repeated for every record',
          `{ explore { cases { hits(first: 10) { edges { node { ${'n'.repeat(257)}: case_id } } } } } }`,
          'the query has a name of more than 256 characters at line 1, column 54',
        ],
        [
          'the schema by aliases of its lists',
          `{ __schema { types { ${several(20, (i) => `a${i}: fields { name type { name fields { b${i}: name } } }`)} } } }`,
          'the query requests too much of the schema',
        ],
        [
          'the schema by fragments that name fragments twice',
          `{ __schema { types { ...f0 } } } ${several(60, (i) => `fragment f${i} on __Type { ${i < 59 ? `...f${i + 1} ...f${i + 1}` : 'fields { name }'} }`)}`,
          'the query requests too much of the schema',
        ],
      ])('is refused: %s', async (_, query, message) => {
        const { status, body } = await posted('/v0/graphql', { query })
        expect([status, body.message]).toEqual([400, message])
      })
    })
  })
})
