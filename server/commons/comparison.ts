import type { Commons } from '../../engine/commons/index.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { comparedFieldsResponses } from './comparison-answers.ts'
import { defineAnalysis } from './define-analysis.ts'
import { filterList, names } from './parameter-forms.ts'
import type { Serving } from './release-answer.ts'
import { searchParameters } from './search-parameters.ts'

export interface ComparisonEngine extends Pick<Commons, 'clock' | 'releaseFacts'> {
  readonly comparison: Pick<Commons['comparison'], 'fields'>
}

interface ComparisonServing extends Serving {
  readonly engine: ComparisonEngine
}

const groups = searchParameters
  .pick({ case_filters: true, pretty: true, attachment: true, filename: true })
  .extend({
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
  return Object.freeze([fieldsEndpoint({ engine, build })])
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
