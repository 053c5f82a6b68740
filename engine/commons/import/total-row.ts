/** Matches what spreadsheets and R write before the sums of the rows above, but no symbol of a gene, such as MAX. */
const TOTAL =
  /^(?:(?:grand|sub)?[ -]?totals?(?: result)?|totals? of .*|sum total|sum|average|mean|median|count):?$/i
/** The label that pandas writes there. `ALL` is a disease. */
const MARGIN = 'All'

/** Returns whether a text is the label of sums or averages in place of a name. */
export function isTotal(text: string): boolean {
  const label = text.trim()
  return label === MARGIN || (label.length < 40 && TOTAL.test(label))
}
