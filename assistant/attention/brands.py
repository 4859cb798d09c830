"""Names that deceivers like to borrow, with the domains that really write in them."""

BRANDS: dict[str, frozenset[str]] = {
    name: frozenset(sites.split())
    for name, sites in {
        "PayPal": "paypal.com paypal.de paypal.co.uk",
        "Amazon": "amazon.com amazon.de amazon.co.uk amazon.fr amazon.it amazon.es amazon.in amazonses.com",
        "Microsoft": "microsoft.com microsoftonline.com office.com outlook.com live.com azure.com",
        "Apple": "apple.com icloud.com",
        "Google": "google.com youtube.com googlemail.com",
        "Netflix": "netflix.com",
        "DHL": "dhl.com dhl.de",
        "FedEx": "fedex.com",
        "UPS": "ups.com",
        "Facebook": "facebook.com facebookmail.com meta.com",
        "Instagram": "instagram.com",
        "LinkedIn": "linkedin.com",
        "Dropbox": "dropbox.com dropboxmail.com",
        "DocuSign": "docusign.com docusign.net",
        "Sparkasse": "sparkasse.de",
        "Deutsche Bank": "db.com deutsche-bank.de",
        "Wells Fargo": "wellsfargo.com",
        "Bank of America": "bankofamerica.com",
        "HSBC": "hsbc.com hsbc.co.uk",
    }.items()
}
