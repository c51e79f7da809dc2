//! What tokens cost, by the prices of the settings.

use std::collections::BTreeMap;

use super::turn::Usage;
use crate::{
    engine::settings::table::{Reader, Table},
    model::{finding::Severity, settings::TokenPrice},
};

/// Prices are per so many tokens.
const PER: f64 = 1_000_000.0;

/// The table of `toolcrib.toml` that holds them.
pub(crate) const PRICES: &str = "prices";

/// Reads `[prices] "MODEL" = {input = 2.5, output = 10}`.
pub(crate) fn read_prices(reader: &mut Reader, top: &Table<'_>) -> BTreeMap<String, TokenPrice> {
    let Some(table) = reader.read_table(top, PRICES) else { return BTreeMap::new() };
    let mut prices = BTreeMap::new();
    for model in table.members.keys() {
        let Some(own) = reader.read_table(&table, model) else { continue };
        reader.check_keys(&own, &["input", "output", "cached"]);
        let mut price = |key: &str| {
            let value = own.members.get(key)?;
            let number = value.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
            if number.is_none() {
                reader
                    .note_wrong_type(&own.at.child(key), "a price per million tokens, such as 2.5");
            }
            number
        };
        let (input, output, cached) = (price("input"), price("output"), price("cached"));
        match (input, output) {
            (Some(input), Some(output)) => {
                prices.insert(model.clone(), TokenPrice { input, output, cached });
            }
            _ => {
                let message = format!(
                    "the price of \"{}\" needs input and output, each per million tokens",
                    model.escape_debug()
                );
                reader.add_finding(Severity::Error, "settings.price", &own.at, message);
            }
        }
    }
    prices
}

/// What that many tokens cost.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "no run has 2^52 tokens")]
pub fn cost_of(usage: Usage, price: TokenPrice) -> f64 {
    let fresh = usage.input.saturating_sub(usage.cached) as f64;
    let cached = usage.cached as f64 * price.cached.unwrap_or(price.input);
    (fresh * price.input + cached + usage.output as f64 * price.output) / PER
}

/// A cost for people: small ones with as many digits as say something.
#[must_use]
pub fn format_cost(cost: f64) -> String {
    if cost >= 1.0 { format!("{cost:.2}") } else { format!("{cost:.6}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_have_a_price_of_their_own_where_there_is_one() {
        let usage = Usage { input: 1_000_000, output: 500_000, cached: 400_000 };
        let price = |cached| TokenPrice { input: 2.0, output: 8.0, cached };
        let shown = |cached| format_cost(cost_of(usage, price(cached)));
        assert_eq!((shown(None).as_str(), shown(Some(0.5)).as_str()), ("6.00", "5.40"));
        let small = Usage { input: 15, output: 4, cached: 0 };
        assert_eq!(format_cost(cost_of(small, price(None))), "0.000062");
    }
}
