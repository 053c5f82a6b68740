import type { Dataset } from '../../datasets/define.ts'
import { createResolver } from '../../datasets/resolver.ts'
import { parseFilterOn } from '../filter.ts'

/** Parses a filter on the fields of a dataset. */
export const parseFilter = (dataset: Dataset, value: unknown, at?: string) =>
  parseFilterOn(dataset.name, createResolver(dataset).resolveFilter, value, at)
