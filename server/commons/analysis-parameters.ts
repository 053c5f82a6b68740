import { EngineError } from '../../engine/shared/index.ts'
import { count, word } from './parameter-forms.ts'
import { searchParameters } from './search-parameters.ts'

// Parameters that several analyses of cases have.

/** Selects the cases of an analysis, and the form of its response. */
export const casesParameters = searchParameters.pick({
  filters: true,
  case_filters: true,
  pretty: true,
  attachment: true,
  filename: true,
})

export const CHANGE = word('change', ['ssm', 'cnv', 'any'] as const, {
  description:
    'Changes that count: simple mutations, copy-number changes, or either. Cases that were not ' +
    'tested for them do not count; for `any`, those that were not tested for both.',
  default: 'ssm',
})

/** Maximum number of listed genes or cases. */
const MAX_LISTED = 10_000

/** Part of a list that an analysis returns. All genes or cases count, listed or not. */
export const LISTING = {
  size: count(
    'size',
    100,
    { description: 'Maximum number of listed genes or cases, at most 10,000. All of them count.' },
    'listed_size',
  ),
  from: searchParameters.shape.from,
}

/**
 * Checks how much of a list is to be returned.
 * @throws EngineError `bad_input` for more than the limit
 */
export function checkListing({ size }: { readonly size: number }): void {
  checkAtMost('size', size, MAX_LISTED)
}

/**
 * Checks a number, or how many names are given.
 * @throws EngineError `bad_input` above the limit
 */
export function checkAtMost(name: string, value: number, most: number): void {
  if (value <= most) return
  const message = `parameter ${name} has ${value}; give at most ${most}`
  throw new EngineError('bad_input', message, { at: name })
}
