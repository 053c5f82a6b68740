/** Formats a p value. Smaller ones than a double can hold are named by their bound. */
export const shownP = (value: number): string =>
  value === 0 ? 'below 1e-300' : value < 0.001 ? value.toExponential(2) : value.toPrecision(3)
