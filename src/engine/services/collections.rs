//! The documents that the sample service answers from; every customer and product in them is
//! invented.

/// One document.
pub(crate) struct Document {
    pub title: &'static str,
    pub text: &'static str,
}

const fn document(title: &'static str, text: &'static str) -> Document {
    Document { title, text }
}

/// Every collection, by name.
pub(crate) const COLLECTIONS: &[(&str, &[Document])] =
    &[("customers", CUSTOMERS), ("products", PRODUCTS)];

const CUSTOMERS: &[Document] = &[
    document(
        "complaints in the last quarter",
        "The three complaints heard most often are late deliveries (41 %), wrong sizes (22 %) and zips that jam (11 %). Complaints about late deliveries doubled in the week of the harbour strike and fell again after it.",
    ),
    document(
        "praise in the last quarter",
        "Customers praise the repair service most: nine of ten who sent in a jacket would do so again. Second comes the packing, which can be used as a gift box.",
    ),
    document(
        "who buys",
        "Half of our customers live in towns of fewer than fifty thousand people. The typical customer is between thirty and forty-five, buys twice a year and comes back for spare parts.",
    ),
    document(
        "returns",
        "Returns stand at 14 % of all orders. Boots are returned most, nearly always because the size was wrong; tents are hardly ever returned.",
    ),
    document(
        "loyalty programme",
        "The trail club has 8,200 members. Members order three times as often as other customers and ask for early access more than for discounts.",
    ),
    document(
        "support desk",
        "The support desk answers a message within four hours on working days. Questions about delivery dates make up a third of all messages, questions about care and washing a quarter.",
    ),
    document(
        "lost customers",
        "Customers who leave say that they found a lower price elsewhere (38 %) or that an item was out of stock when they needed it (27 %). Few leave because of quality.",
    ),
    document(
        "payment",
        "Two thirds of customers pay by card, a quarter by invoice, the rest on delivery. Payment by invoice has the fewest cancelled orders.",
    ),
    document(
        "schools and clubs",
        "Forty schools and hiking clubs order in bulk every spring. They ask for name labels, a fixed price for two years, and one contact person.",
    ),
    document(
        "wishes",
        "Customers wish for longer sleeves, a left-handed pocket knife, and a way to see where a parcel is. The parcel tracking is planned for spring.",
    ),
];

const PRODUCTS: &[Document] = &[
    document(
        "tent Plover 2",
        "The Plover 2 is our lightest tent: 1.4 kg for two people, set up in six minutes. Its outer shell stands a water column of 3,000 mm. It costs 389.",
    ),
    document(
        "tent Heron 4",
        "The Heron 4 sleeps four and weighs 4.9 kg. It has two entrances and a porch for wet boots. It costs 549.",
    ),
    document(
        "jacket Sleet",
        "The jacket Sleet is waterproof and has a hood that fits over a helmet. Its zip was changed in June after reports that the old one jammed. Sizes XS to XXL, price 219.",
    ),
    document(
        "boots Cairn",
        "The boots Cairn have a stiff sole for rock and can be resoled twice. They run small: take one size larger. Price 189.",
    ),
    document(
        "backpack Porter 55",
        "The backpack Porter 55 holds 55 litres, weighs 1.6 kg and has a rain cover in the lid. The hip belt can be exchanged without tools. Price 159.",
    ),
    document(
        "stove Ember",
        "The stove Ember burns gas and boils a litre of water in three and a half minutes. It weighs 95 g and folds into its cup. Price 49.",
    ),
    document(
        "sleeping bag Dormouse",
        "The sleeping bag Dormouse keeps warm down to minus 5 degrees and is filled with recycled fibre. It packs to the size of a loaf. Price 129.",
    ),
    document(
        "lamp Glowworm",
        "The head lamp Glowworm shines for 40 hours on one charge and has a red light for reading maps at night. Price 39.",
    ),
    document(
        "care and washing",
        "Wash waterproof jackets at 30 degrees without softener and dry them warm: heat wakes up the coating. Dry tents before storing them.",
    ),
    document(
        "guarantee",
        "Every product has a guarantee of five years. Wear is repaired at cost, seams and zips free of charge for as long as you own the product.",
    ),
];
