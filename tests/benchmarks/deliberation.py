"""What a coordination of five agents costs, and how long it takes: `python tests/benchmarks/deliberation.py [--latency 0.3]`.

Five models over the scripted endpoint draft a reply to a complaint, in answers of 150 words; the endpoint counts usage as characters
by four, of all that it is sent and sends, tools included. The schedule: every agent answers once, then every agent votes; whoever is
done waits until nobody is at work on what is out of date, so that the order in which answers land changes nothing. One restart: the
same twice, with the final agent's decision after each. Prints tokens by part, and the time over that of the longest chain of calls.
Fails where a limit is exceeded: the seed's 10,000 tokens for a coordination with its presentation, 20,000 with one restart.
"""
