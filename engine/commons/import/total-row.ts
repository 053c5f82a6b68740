/** Matches labels of spreadsheets and R for sums of the rows above, but no gene symbol such as MAX. */
const TOTAL =
  /^(?:(?:grand|sub)?[ -]?totals?(?: result)?|totals? of .*|sum total|sum|average|mean|median|count):?$/i
/** Label that pandas writes before sums. `ALL` is a disease. */
const MARGIN = 'All'

/** Returns whether a text is the label of sums or averages in place of a name. */
export function isTotal(text: string): boolean {
  const label = text.trim()
  return label === MARGIN || (label.length < 40 && TOTAL.test(label))
}
