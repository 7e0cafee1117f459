// The symbols of the hostile bench: those that the attacker asks for, and those that the well-behaved user subscribes to.
export const ATTACKED = "Y";
export const WATCHED = "N";
export const SYMBOLS = 20_000;

/** Lets a stack know them. */
export async function addSymbols(stack) {
  await stack.postgres.query("insert into public.supported_symbols (symbol) select s || n from generate_series(0, $1::int - 1) n, unnest($2::text[]) s",
    [SYMBOLS, [ATTACKED, WATCHED]]);
}
