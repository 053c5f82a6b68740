import type { Commons } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import {
  CHANGE,
  casesParameters,
  checkAtMost,
  checkListing,
  LISTING,
} from './analysis-parameters.ts'
import {
  comparedFieldsResponses,
  enrichmentResponses,
  variablesResponses,
} from './comparison-answers.ts'
import { defineAnalysis } from './define-analysis.ts'
import { count, filterList, names, text } from './parameter-forms.ts'
import type { Serving } from './release-answer.ts'

export interface ComparisonEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly comparison: Pick<Commons['comparison'], 'enrichment' | 'fields' | 'variables'>
}

interface ComparisonServing extends Serving {
  readonly engine: ComparisonEngine
}

const groups = casesParameters.extend({
  filters: filterList(
    'filters',
    {
      description:
        'A filter for each group, at most 12; an empty object selects all cases. Fields are ' +
        'those of cases. Groups that share cases are described but not tested.',
    },
    'group_filters',
  ),
})

const fieldsParameters = groups.extend({
  fields: names(
    'fields',
    {
      description:
        'Fields of cases to compare, at most 500. By default, all clinical fields that have values, ' +
        'and survival.',
    },
    'compared_fields',
  ),
})

/** Endpoints that compare groups of cases. */
export function comparisonEndpoints(engine: ComparisonEngine, build: string): readonly Endpoint[] {
  return Object.freeze([
    fieldsEndpoint({ engine, build }),
    enrichmentEndpoint({ engine, build }),
    variablesEndpoint({ engine, build }),
  ])
}

function fieldsEndpoint(serving: ComparisonServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path: '/analysis/compare_fields',
    summary: 'Clinical fields of groups of cases, and whether they differ',
    description:
      'Counts of values, or medians and quartiles of numbers, by group. Each field is tested: ' +
      'Fisher’s exact test for two groups and two values, else the chi-square test; Mann and ' +
      'Whitney’s test for numbers of two groups, else Kruskal and Wallis’s; the log-rank test. ' +
      'q-values are adjusted for the number of tests (Benjamini and Hochberg). Only cases with ' +
      'one value of a field are counted and tested.',
    parameters: fieldsParameters,
    responses: comparedFieldsResponses,
    request(input) {
      const { filters, case_filters: caseFilters, fields, pretty } = input
      const request = { filters, caseFilters, fields, pretty }
      return {
        input: { ...input, format: 'json' },
        fileName: 'compare_fields.json',
        run: (run) => serving.engine.comparison.fields(request, run),
      }
    },
  })
}

/** Maximum number of names of copy-number changes. */
const MAX_COPY_NUMBERS = 20
/** Maximum number of points of a scatter plot. */
const MAX_POINTS = 20_000

const enrichmentParameters = groups.extend({
  change: CHANGE,
  copy_numbers: names('copy_numbers', {
    description:
      'Copy-number changes that count, at most 20, such as `Amplification` and `Gain`. By ' +
      'default, all.',
  }),
  min_cases: count('min_cases', 1, {
    description: 'Genes that are changed in fewer of the tested cases are left out.',
  }),
  ...LISTING,
})

function enrichmentEndpoint(serving: ComparisonServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path: '/analysis/enrichment',
    summary: 'Genes whose changes are more frequent in one group of cases than in another',
    description:
      'Counts the tested cases of each group in which each gene is changed, and tests whether the ' +
      'shares differ: Fisher’s exact test for two groups, else the chi-square test. q-values are ' +
      'over all genes (Benjamini and Hochberg).',
    parameters: enrichmentParameters,
    responses: enrichmentResponses,
    request(input) {
      const { filters, case_filters: caseFilters, change = 'ssm', pretty, size, from } = input
      const { copy_numbers: copyNumbers, min_cases: minCases } = input
      checkListing(input)
      checkAtMost('copy_numbers', copyNumbers.length, MAX_COPY_NUMBERS)
      const query = { change, copyNumbers, minCases, size, from }
      return {
        input: { ...input, format: 'json' },
        fileName: 'enrichment.json',
        run: (run) =>
          serving.engine.comparison.enrichment({ filters, caseFilters, pretty, ...query }, run),
      }
    },
  })
}

const VARIABLE =
  'Required. A field of cases, such as `diagnoses.age_at_diagnosis`; `ssm:` or `cnv:` and the id ' +
  'of a gene, for whether it is changed in the tested cases; `burden`, the number of simple ' +
  'mutations of the tested cases; or `expression:` and the ids of up to 500 genes with commas ' +
  'between, for the mean of log2(uqfpkm + 1), which requires POST.'

/** Maximum number of characters of a variable. The ids of the most genes have less. */
const MAX_VARIABLE = 10_000

const variablesParameters = casesParameters.extend({
  x: text('x', { description: VARIABLE }, MAX_VARIABLE),
  y: text('y', { description: 'Required. Another variable, as in `x`.' }, MAX_VARIABLE),
  size: count(
    'size',
    2000,
    { description: 'Maximum number of points, at most 20,000.' },
    'points_size',
  ),
})

function variablesEndpoint(serving: ComparisonServing): Endpoint {
  return defineAnalysis(serving, {
    methods: ['GET', 'POST'],
    path: '/analysis/variables',
    summary: 'How two variables of cases are related',
    description:
      'Two numbers: points, and the correlations of Pearson and of Spearman. A number and ' +
      'categories: quartiles by category, with the test of Mann and Whitney or of Kruskal and ' +
      'Wallis. Two variables of categories: a table of counts, with Fisher’s exact test or the ' +
      'chi-square test. Only cases with one value of both variables count. `filters` select the ' +
      'cases.',
    parameters: variablesParameters,
    responses: variablesResponses,
    security: [{}, { token: [] }],
    request(input, { isRead, token }) {
      const { filters, case_filters: caseFilters, size, pretty } = input
      const [x, y] = [named('x', input.x), named('y', input.y)]
      checkAtMost('size', size, MAX_POINTS)
      if (isRead) refuseExpression({ x, y })
      const request = { filters, caseFilters, x, y, size, pretty, token }
      return {
        input: { ...input, format: 'json' },
        fileName: 'variables.json',
        run: (run) => serving.engine.comparison.variables(request, run),
      }
    },
  })
}

/**
 * Refuses an expression in a request whose answer caches may keep, because it may be controlled.
 * @throws EngineError bad_input
 */
function refuseExpression(variables: Readonly<Record<string, string>>): void {
  for (const [at, name] of Object.entries(variables)) {
    if (!name.startsWith('expression:')) continue
    const message = `${at} is an expression, which may be controlled; send the parameters by POST`
    throw new EngineError('bad_input', message, { at })
  }
}

function named(name: 'x' | 'y', given: string | undefined): string {
  if (given !== undefined) return given
  const message = `parameter ${name} is missing; name a field of cases, ssm:, cnv: or expression: and the id of a gene, or burden`
  throw new EngineError('bad_input', message, { at: name })
}
