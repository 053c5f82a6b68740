import { text } from '../commons/parameter-forms.ts'

/** Parameter of the page to which a browser goes after a log-in or log-out. It must be checked with ownPath. */
export const next = text('next', {
  description: 'A page of the same host to which the browser goes afterwards.',
})
